import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_TOKENS, unitsOf } from '@hindsight/api/units.ts';
import { z } from 'zod';
import { NATIVE } from '../domain/asset.ts';
import { writeCursor } from '../domain/changes.ts';
import { networkFields, pinnedFields, type NetworkName } from '../domain/pinned.ts';
import { balanceStandard, coinFields, tokenFields } from '../domain/token.ts';
import type { WalletChangesQuestion, WalletChangesReading } from '../domain/wallet-changes.ts';
import {
  balanceChanges,
  change,
  changesRange,
  changesTable,
  DEFAULT_LIMIT,
  rangeQuery,
  toEntry,
} from './balance-changes.ts';
import { address, network, next, standard, toHolder, token } from './fields.ts';
import { assetsParam } from './parameters.ts';
import { defineRange } from './view.ts';

const assetAddress = z.union([z.literal(NATIVE), address('The token contract')]);

const record = z.object({
  ...network,
  ...changesRange,
  tokens: z
    .array(
      z.object({
        ...token,
        token_address: assetAddress,
        token_type: standard('erc20', 'erc721').or(z.literal(NATIVE)),
        complete: z
          .boolean()
          .optional()
          .meta({ description: 'Only of `native`, as in `balance/changes`: true if no change is missing' }),
      }),
    )
    .max(MAX_TOKENS)
    .meta({ description: 'In the order of the request' }),
  chosen: z
    .object({
      left_out: z.array(address('A token contract')).meta({
        description:
          'Tokens that were held at either end, and for which there was no room: ask for them by name',
      }),
      complete: z.boolean().meta({
        description:
          'True if no ERC-20 or ERC-721 token that was held at either end is missing. False also where a contract did not report ' +
          'the balance: `portfolio` names it (`asked.unread`). What came and went in between is not looked for',
      }),
    })
    .optional()
    .meta({ description: 'Only where the request names no token' }),
  changes: z
    .array(z.object({ token_address: assetAddress, ...change.shape }))
    .meta({ description: 'The changes, the oldest first; those of a block in the order of the tokens' }),
  next,
});
type WalletChangesRecord = z.output<typeof record>;

/** GET /v1/{network}/wallet/changes: the blocks in which balances of a wallet changed. */
export const walletChanges = defineRange({
  operation: {
    ...OPERATIONS.listWalletChanges,
    summary: 'List the changes of a wallet',
    description:
      `Returns the blocks in which a wallet’s balances of up to ${MAX_TOKENS} tokens changed, ether (\`native\`) among them, in one ` +
      'list: a wallet’s year. Each change is as in `balance/changes`. Without `token_address` they are ether and the tokens that ' +
      'the wallet held at either end, found as `portfolio` finds them; `chosen` says what is left out. `portfolio` says which ' +
      'tokens a wallet may have had in between (`asked.tokens`). A page has all changes of its blocks, and so up to one less than the number of tokens more than ' +
      '`limit`. `next` is null on the last page. With `Accept: text/csv` a change is a row, which ends with `complete` and, where the tokens were chosen, `chosen_complete`; the `Link` header names the ' +
      'next page. Costs one unit for every 10 changes begun, and at least one for each token; without `token_address` at least ten.',
    success: { ...balanceChanges.operation.success, name: 'WalletChanges', schema: record },
    errors: balanceChanges.operation.errors,
  },
  parameters: {
    token_address: assetsParam.optional().meta({
      description: `The token contracts, ${MAX_TOKENS} at the most; \`native\` for the chain’s own coin. Repeated, or separated by commas. Without it, ether and the tokens that the wallet held at either end.`,
    }),
    ...rangeQuery,
  },
  async read(history, asked, signal) {
    const { token_address: assets, to = 'latest', limit = DEFAULT_LIMIT, ...others } = asked;
    const question: WalletChangesQuestion = { assets, to, limit, ...others, cursor: asked.cursor };
    const reading = await history.walletChanges(question, signal);
    const made = toRecord(history.network, reading);
    const { perUnit } = OPERATIONS.listWalletChanges.units;
    const units = Math.max(unitsOf(made.changes.length, perUnit), assets?.length ?? MAX_TOKENS);
    return { record: made, units, lasting: reading.lasting, next: made.next };
  },
  table({ holder, tokens, chosen, changes }) {
    const byAddress = new Map(tokens.map((one) => [one.token_address, one]));
    return changesTable(
      changes,
      {
        holder: () => holder,
        token_address: (row) => row.token_address,
        token_symbol: (row) => byAddress.get(row.token_address)?.token_symbol,
        token_decimals: (row) => byAddress.get(row.token_address)?.token_decimals,
      },
      {
        complete: (row) => byAddress.get(row.token_address)?.complete,
        ...(chosen && { chosen_complete: () => chosen.complete }),
      },
    );
  },
});

/** @throws {ApiError} 404 where there is no such token; 400 for an ERC-1155 */
function toRecord(network: NetworkName, reading: WalletChangesReading): WalletChangesRecord {
  const { holder, assets, chosen, from, to, through, changes, next: cursor } = reading;
  return {
    ...networkFields(network),
    ...toHolder(holder),
    ...pinnedFields(to),
    from_block: from.number,
    through_block: through,
    tokens: assets.map(({ reading: { token: read, isComplete = false } }) =>
      read === null
        ? { ...coinFields(network), complete: isComplete }
        : tokenFields(balanceStandard(read, read.height), read),
    ),
    ...(chosen && { chosen: { left_out: [...chosen.leftOut], complete: chosen.isComplete } }),
    changes: changes.map(({ asset, change: one }) => ({ token_address: asset, ...toEntry(one) })),
    next: cursor ? writeCursor(cursor) : null,
  };
}
