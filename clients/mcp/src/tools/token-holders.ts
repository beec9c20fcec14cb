import { z } from 'zod';
import { amount, formattedAmount, list, next, source } from '../outputs.ts';
import { at, whenOf } from '../parameters.ts';
import { formatted, sourceAtHash } from '../source.ts';
import { defineTool } from '../tool.ts';

const ADDRESS = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected a contract address from find_token');

/** Who held a token. */
export const tokenHolders = defineTool({
  name: 'token_holders',
  title: 'List holders of a token',
  description:
    'Every holder of a token at a block with the exact balance, in the order of addresses, for tokens that the operator has ' +
    'indexed. `complete` false means that older holders may be missing. For the whole list follow `next`; for a long one give ' +
    'the user the source URL in place of reading it all.',
  input: {
    token: ADDRESS.describe('Contract address (0x…). A symbol is not accepted: look it up with find_token.'),
    at,
    limit: z
      .int()
      .min(1)
      .max(100)
      .default(50)
      .describe('Addresses that are read; some of them may hold nothing.'),
    after: ADDRESS.optional().describe('Only from `next.arguments` of the answer before.'),
  },
  output: {
    token: z.string(),
    token_symbol: z.string(),
    complete: z.boolean(),
    holders: list({
      holder: z.string(),
      balance: amount.optional(),
      balance_formatted: formattedAmount.optional(),
      error: z.string().optional(),
    }),
    sum_of_these: amount,
    total_supply: amount.nullable(),
    source,
    next,
  },
  async run(api, { token, at, limit, after }) {
    const { block_height, block_hash, date } = whenOf(at);
    const when = { block: block_height, blockHash: block_hash, date };
    const question = { token, ...when, after, chunk: limit, signal: api.signal };
    const { facts, holders, next, totals } = await api.client.holders.page(question);
    const { token_symbol, token_decimals } = facts;
    const format = (amount: string | null) => formatted(amount, token_decimals, token_symbol);
    const supply = totals.totalSupply?.toString() ?? null;
    return {
      token: facts.token_address,
      token_symbol,
      token_decimals,
      complete: facts.index.complete,
      indexed_from_block: facts.index.from_block,
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
        after,
        limit,
      }),
      next:
        next === null
          ? null
          : { tool: 'token_holders', arguments: { token, at: facts.block_hash, limit, after: next } },
    };
  },
});
