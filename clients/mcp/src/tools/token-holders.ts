import { InvalidAnswer, parseWhen, type LargestQuestion } from '@hindsight/client';
import { z } from 'zod';
import { amount, formattedAmount, list, next, source } from '../outputs.ts';
import { ADDRESS, at } from '../parameters.ts';
import { formatted, sourceAtHash } from '../source.ts';
import { defineTool, type Api } from '../tool.ts';

const contract = z.string().regex(ADDRESS, 'expected a contract address from find_token');

export const tokenHolders = defineTool({
  name: 'token_holders',
  title: 'List holders of a token',
  description:
    'Every holder of a token at a block with the exact balance, for tokens that the operator has indexed: the largest first, ' +
    'with their share of the supply (`order: balance`), or in the order of addresses. `complete` false means that older holders ' +
    'may be missing. For the whole list in the order of addresses follow `next`; for a long one give the user the source URL in ' +
    'place of reading it all.',
  input: {
    token: contract.describe('Contract address (0x…). A symbol is not accepted: look it up with find_token.'),
    token_id: z
      .string()
      .regex(/^\d{1,78}$/)
      .optional()
      .describe('One id of an ERC-1155; of an ERC-721 the answer is its owner.'),
    at,
    order: z
      .enum(['address', 'balance'])
      .default('address')
      .describe('`balance`: the largest holders first.'),
    limit: z
      .int()
      .min(1)
      .max(100)
      .default(50)
      .describe(
        'Addresses that are read; some of them may hold nothing. With `order: balance` the holders that are listed.',
      ),
    after: contract.optional().describe('Only from `next.arguments` of the answer before.'),
    indexed_from_block: z
      .int()
      .nonnegative()
      .optional()
      .describe('Only from `next.arguments` of the answer before: pages of one list are of one index.'),
  },
  output: {
    token: z.string(),
    token_symbol: z.string(),
    complete: z.boolean(),
    holders: list({
      holder: z.string(),
      balance: amount.optional(),
      balance_formatted: formattedAmount.optional(),
      share_of_supply_ppm: z.int().nullable().optional(),
      error: z.string().optional(),
    }),
    sum_of_these: amount.optional(),
    holder_count: z.int().optional(),
    errors: z
      .int()
      .optional()
      .describe('Addresses whose balances could not be read: they may be holders, and large ones.'),
    sum_of_all: amount.optional(),
    total_supply: amount.nullable(),
    source,
    next,
  },
  async run(api, { token, token_id: tokenId, at, order, limit, after, indexed_from_block: indexedFrom }) {
    const asked = { token, tokenId, ...parseWhen(String(at)), signal: api.signal };
    if (order === 'balance') return largest(api, { ...asked, limit });
    const question = { ...asked, after, chunk: limit };
    const { facts, holders, next, totals } = await api.client.holders.page(question);
    const { token_symbol, token_decimals } = facts;
    const { from_block } = facts.index;
    if (indexedFrom !== undefined && indexedFrom !== from_block)
      throw new InvalidAnswer(
        `the index begins at block ${from_block} in place of ${indexedFrom}: list the holders from the first page again.`,
      );
    const format = (amount: string | null) => formatted(amount, facts);
    const supply = totals.totalSupply?.toString() ?? null;
    return {
      token: facts.token_address,
      token_symbol,
      token_decimals,
      complete: facts.index.complete,
      indexed_from_block: from_block,
      holders: holders.map(({ holder, balance, error }) =>
        balance === undefined
          ? { holder, error: error?.message }
          : { holder, balance: balance.toString(), balance_formatted: format(balance.toString()) },
      ),
      sum_of_these: totals.sum.toString(),
      total_supply: supply,
      total_supply_formatted: format(supply),
      source: sourceAtHash(api, facts, '/token/holders', {
        token_address: facts.token_address,
        token_id: tokenId,
        after,
        limit,
      }),
      next:
        next === null
          ? null
          : {
              tool: 'token_holders',
              arguments: {
                ...{ token, token_id: tokenId, at: facts.block_hash, limit, after: next },
                indexed_from_block: from_block,
              },
            },
    };
  },
});

async function largest(api: Api, question: LargestQuestion) {
  const found = await api.client.holders.largest(question);
  const { token_address, token_symbol, token_decimals, index } = found;
  const format = (amount: bigint | null) => formatted(amount?.toString() ?? null, found);
  return {
    token: token_address,
    token_symbol,
    token_decimals,
    complete: index.complete,
    indexed_from_block: index.from_block,
    holder_count: found.holder_count,
    errors: found.errors,
    holders: found.holders.map(({ holder, balance, share_ppm }) => ({
      holder,
      balance: balance.toString(),
      balance_formatted: format(balance),
      share_of_supply_ppm: share_ppm,
    })),
    sum_of_all: found.sum.toString(),
    total_supply: found.total_supply?.toString() ?? null,
    total_supply_formatted: format(found.total_supply),
    source: sourceAtHash(api, found, '/token/holders', {
      token_address,
      token_id: question.tokenId?.toString(),
      order: 'balance',
      limit: question.limit,
    }),
    next: null,
  };
}
