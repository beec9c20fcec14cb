import type { components } from '@hindsight/client';
import { z } from 'zod';
import { bound, token, wallet } from '../parameters.ts';
import { formatted, nativeToken, resolvedAt, sourceOf } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

type Page = components['schemas']['BalanceChanges'];

/** The blocks in which a balance changed. */
export const balanceChanges = defineTool({
  name: 'balance_changes',
  title: 'Find changes of a balance',
  description:
    'The blocks in which a wallet’s balance of a token changed, with the balance before and after and the transactions. ' +
    'Changes without an event (rebase, fee, most changes of ether) have the cause "state". For ether, complete says whether ' +
    'any change may be missing. A name that meant two wallets within the range is refused: ask for each address.',
  input: {
    token,
    holder: wallet,
    from: bound.describe('Changes after this moment: a block number, or an ISO 8601 date in UTC.'),
    to: bound
      .optional()
      .describe('Changes up to this moment: a block number or a date. Default: the latest block.'),
    limit: z.int().min(1).max(100).default(50).describe('Changes in an answer.'),
    cursor: z.string().max(200).optional().describe('Only from `next.arguments` of the answer before.'),
  },
  async run(api, { token: token_address, holder, from, to, limit, cursor }) {
    const query = { token_address, holder, from, to, limit, cursor };
    const page = await ask<Page>(api, '/balance/changes', query);
    const { token_decimals, token_symbol, complete } =
      'token_decimals' in page
        ? { ...page, complete: undefined }
        : { ...(await nativeToken(api)), complete: page.complete };
    const format = (amount: string | null): string | null => formatted(amount, token_decimals, token_symbol);
    return {
      token: 'token_address' in page ? page.token_address : token_address,
      token_symbol,
      token_decimals,
      holder: page.holder,
      ...resolvedAt(holder, page),
      ...(complete === undefined ? {} : { complete }),
      changes: page.changes.map((change) => ({
        ...change,
        balance_before_formatted: format(change.balance_before),
        balance_after_formatted: format(change.balance_after),
      })),
      source: sourceOf(api, page, '/balance/changes', {
        token_address,
        holder: page.holder,
        // A cursor names the last block, and the token where it has ended since.
        ...(cursor === undefined ? { from: page.from_block, to: page.through_block } : { from, cursor }),
        limit,
      }),
      next:
        page.next === null
          ? null
          : {
              tool: 'balance_changes',
              arguments: { token: token_address, holder, from, to, limit, cursor: page.next },
            },
    };
  },
});
