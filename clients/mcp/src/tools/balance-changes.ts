import type { components } from '@hindsight/client';
import { z } from 'zod';
import { change, meaning, next, overTime, source } from '../outputs.ts';
import { bound, end, token, toOf, wallet } from '../parameters.ts';
import { formattedChanges, resolvedAt, sourceOf, tokenOverTime } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

type Page = components['schemas']['BalanceChanges'];

export const balanceChanges = defineTool({
  name: 'balance_changes',
  title: 'Find changes of a balance',
  description:
    'The blocks in which a wallet’s balance of a token changed, with the balance before and after and the transactions. ' +
    'Changes without an event (rebase, fee, most changes of ether) have the cause "state". For ether, complete says whether ' +
    'any change may be missing. A name that meant two wallets within the range is refused, unless resolve is "each".',
  input: {
    token,
    holder: wallet,
    from: bound.describe('Changes after this moment: a block number, or an ISO 8601 date in UTC.'),
    to: end,
    resolve: z
      .enum(['once', 'each'])
      .default('once')
      .describe(
        'For a name that moved: "each" asks at every block which address it meant. Each change names its `holder`, and ' +
          '`meanings` has the blocks of each address. The balances of two holders are separate series.',
      ),
    limit: z.int().min(1).max(100).default(50).describe('Changes in an answer.'),
    cursor: z.string().max(200).optional().describe('Only from `next.arguments` of the answer before.'),
  },
  output: {
    ...overTime,
    complete: z.boolean().optional(),
    changes: z.array(change),
    meanings: z.array(meaning).optional(),
    source,
    next,
  },
  async run(api, { token: token_address, holder, from, to, resolve, limit, cursor }) {
    const query = { token_address, holder, from, to: toOf(to), resolve, limit, cursor };
    const page = await ask<Page>(api, '/balance/changes', query);
    const named = await tokenOverTime(api, token_address, page);
    return {
      ...named,
      ...resolvedAt(holder, page),
      ...('complete' in page ? { complete: page.complete } : {}),
      ...(page.meanings === undefined ? {} : { meanings: page.meanings }),
      changes: formattedChanges(page.changes, named),
      source: sourceOf(api, page, '/balance/changes', {
        token_address,
        ...(page.meanings === undefined ? { holder: page.holder } : { holder, resolve }),
        // A cursor names the last block, and the token where it has ended since.
        ...(cursor === undefined ? { from: page.from_block, to: page.through_block } : { from, cursor }),
        limit,
      }),
      next:
        page.next === null
          ? null
          : {
              tool: 'balance_changes',
              arguments: { token: token_address, holder, from, to, resolve, limit, cursor: page.next },
            },
    };
  },
});
