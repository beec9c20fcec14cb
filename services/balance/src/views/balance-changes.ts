import { OPERATIONS } from '@hindsight/api/operations.ts';
import { boundParam, cursorParam, pageLimitParam } from '@hindsight/chain/params.ts';
import { unitsOf } from '@hindsight/api/units.ts';
import { z } from 'zod';
import { NATIVE } from '../domain/asset.ts';
import {
  readCursor,
  writeCursor,
  type BalanceChange,
  type ChangesQuestion,
  type ChangesReading,
  type NameMeaning,
} from '../domain/changes.ts';
import { isoDate, networkFields, pinnedFields, type NetworkName } from '../domain/pinned.ts';
import { balanceStandard, tokenFields } from '../domain/token.ts';
import { fieldColumns, tableOf, type Cell, type Table } from '../rows/csv-table.ts';
import {
  address,
  amount,
  hash,
  holderOverTime,
  network,
  next,
  pinned,
  signedAmount,
  time,
  toHolder,
  token,
} from './fields.ts';
import { account, assetParam, resolveParam } from './parameters.ts';
import { holdingColumns } from './shared-columns.ts';
import { QUESTION_ERRORS } from './refusals.ts';
import { defineRange } from './view.ts';

/** The most changes of an answer if the request sets no limit. */
export const DEFAULT_LIMIT = 100;
const { perUnit: CHANGES_PER_UNIT, most: MAX_LIMIT } = OPERATIONS.listBalanceChanges.units;

/** A longer text is no cursor. */
const MAX_CURSOR = 400;

export const rangeQuery = {
  holder: account('The wallet: an address or an ENS name, which is resolved at the last block'),
  from: boundParam.meta({
    description:
      'The block whose state is the beginning: a height, or an ISO 8601 date (UTC if it names no zone)',
  }),
  to: boundParam.optional().meta({
    description: 'The last block: a height, or an ISO 8601 date. Without it, the latest block.',
  }),
  limit: pageLimitParam(MAX_LIMIT)
    .optional()
    .meta({ default: DEFAULT_LIMIT, description: 'The most changes of an answer' }),
  cursor: cursorParam(readCursor, MAX_CURSOR).optional().meta({
    description:
      'The `next` of the answer before: continues there, up to the same last block. Everything else but `limit` is as before',
  }),
};

export const change = z.object({
  block: z.int().meta({ description: 'The block in which, or by which, the balance changed' }),
  block_hash: hash('The block’s hash'),
  date: time,
  after_block: z.int().meta({
    description:
      'The last block that is known to have the balance before; one less than `block` where that is exact',
  }),
  cause: z.enum(['transfer', 'state']).meta({
    description: 'transfer: events of the block concern the holder; state: no event explains the change',
  }),
  transactions: z
    .array(hash('A transaction’s hash'))
    .meta({ description: 'The transactions of those events' }),
  balance_before: amount('The balance before').nullable(),
  balance_after: amount('The balance after').nullable(),
  unexplained: signedAmount.nullable().meta({
    description:
      'The part of the change that the events do not explain, such as a fee; null if a balance is null. A deposit ' +
      'or withdrawal that the token also says as a transfer counts once',
  }),
});

export const changesRange = {
  ...holderOverTime('at the last block'),
  ...pinned,
  from_block: z.int().meta({ description: 'The changes of this answer are after this block' }),
  through_block: z.int().meta({ description: 'The changes of this answer are up to this block' }),
};

const meaning = z.object({
  holder: address('The address that the name meant; null where it had none').nullable(),
  from_block: z.int().meta({ description: 'The first block of the range at which it meant that' }),
  through_block: z.int().meta({ description: 'The last one' }),
});

const holderChange = change.extend({
  holder: address(
    'Only for a name with `resolve=each`: the address that it meant at `block`, whose balance changed',
  ).optional(),
});

const changes = {
  ...changesRange,
  changes: z.array(holderChange).meta({ description: 'The changes, the oldest first' }),
  meanings: z
    .array(meaning)
    .optional()
    .meta({
      description:
        'Only for a name with `resolve=each`: its addresses after `from` and up to the last block, each from its first block to ' +
        'its last. Found by resolving the name at sixteen blocks and searching between those that differ: a move that is undone ' +
        'between two of them goes unseen',
    }),
  next,
};

/** GET …/balance/changes */
const changesRecord = z.union([
  z
    .object({
      ...network,
      ...token,
      token_type: z.enum(['erc20', 'erc721']).meta({ description: 'The token’s standard' }),
      ...changes,
      asked: z.object({
        how: z.enum(['index', 'logs']).meta({
          description:
            'The source of the blocks with events: the token’s index and a search of the blocks after its end, or a search alone. ' +
            'An index that begins after `from` is relied on where the token had no code before, at eight heights from `from` on',
        }),
      }),
    })
    .meta({ description: 'Of a token' }),
  z
    .object({
      ...network,
      ...changes,
      complete: z.boolean().meta({
        description:
          'True if every change after `from_block` and up to `through_block` is listed, each at its block. False where one ' +
          'is only known to be after `after_block` and by `block`, and where some that cancelled each other out may have ' +
          'been missed: before EIP-7708, of an account that had code or had not sent a transaction yet',
      }),
    })
    .meta({ description: 'Of `native`' }),
]);

/** GET /v1/{network}/balance/changes: the blocks in which a balance changed. */
export const balanceChanges = defineRange({
  operation: {
    ...OPERATIONS.listBalanceChanges,
    summary: 'List balance changes',
    description:
      'Returns the blocks in which a wallet’s balance of a token changed, after one block and up to another, with the ' +
      'balance before and after each. Events only say where to look (those of the index where the token is indexed, which saves the search: `asked.how`): the balance is read from the state at each block and at ' +
      'the one before. A change that no event explains, a rebase for instance, has the cause `state`; it happened after ' +
      '`after_block` and by `block`, which a bounded search brings as close together as it can. Where the token does not report the ' +
      'balance, it is null, and each block with events is listed. Such changes that cancel each ' +
      'other out between two events may go unseen, as may those of a token whose events do not index holders (CryptoKitties). Ether’s transfers are logged from Glamsterdam on; before, and for fees, withdrawals and rewards, ' +
      'changes are found in the state alone, each at its block, and `complete` says whether any may be missing (in CSV, each row does). `next` is null on the last page. With `Accept: text/csv` a change is a row, and the ' +
      '`Link` header names the next page. Costs one unit for every 10 changes ' +
      'begun, at least one, and one for each address of a name with `resolve=each`.',
    success: {
      name: 'BalanceChanges',
      schema: changesRecord,
      description: 'The changes, the oldest first',
    },
    errors: {
      400: `${QUESTION_ERRORS[400]}. Also for ends in the wrong order, and an ERC-1155 contract`,
      404: 'No such network, no token, a name without an address at the last block, an end above the head, or a cursor whose last block was reorganised away',
    },
  },
  parameters: {
    token_address: assetParam.meta({ description: 'The token contract, or `native` for ether' }),
    ...rangeQuery,
    resolve: resolveParam(
      'An ENS name is resolved `once`, at the last block, and refused if it meant another address before; or at `each` block: ' +
        'every change is then of the `holder` that the name meant there, and `meanings` has all of them',
    ),
  },
  async read(history, asked, signal) {
    const { token_address, to = 'latest', limit = DEFAULT_LIMIT, resolve = 'once', ...others } = asked;
    const token = token_address === NATIVE ? null : token_address;
    const question: ChangesQuestion = { token, to, limit, resolve, ...others, cursor: asked.cursor };
    const reading = await history.changes(question, signal);
    const record = toRecord(history.network, reading);
    // Nothing is searched where the name had no address.
    const searched = record.meanings?.filter(({ holder }) => holder !== null).length ?? 0;
    const units = Math.max(unitsOf(record.changes.length, CHANGES_PER_UNIT), searched);
    return { record, units, lasting: reading.lasting, next: record.next };
  },
  table(record, network) {
    const own = record.meanings && { holder: (row: z.output<typeof holderChange>) => row.holder };
    const promise = 'complete' in record ? { complete: () => record.complete } : {};
    return changesTable(record.changes, { ...holdingColumns(network, record), ...own }, promise);
  },
});

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token; 400 for an ERC-1155
 */
function toRecord(network: NetworkName, reading: ChangesReading): z.output<typeof changesRecord> {
  const {
    holder,
    token,
    from,
    through,
    to,
    meanings,
    changes,
    isComplete = false,
    how = 'logs',
    next,
  } = reading;
  const fields = {
    ...pinnedFields(to),
    from_block: from.number,
    through_block: through.number,
    changes: changes.map((one) => ({
      ...toEntry(one),
      ...(one.holder !== undefined && { holder: one.holder }),
    })),
    ...(meanings && { meanings: meanings.map(toMeaning) }),
    next: next && writeCursor(next),
  };
  const named = { ...networkFields(network), ...toHolder(holder) };
  if (token === null) return { ...named, ...fields, complete: isComplete };
  const type = balanceStandard(token, token.height);
  return { ...named, ...tokenFields(type, token), ...fields, asked: { how } };
}

function toMeaning({ address, from, through }: NameMeaning): z.output<typeof meaning> {
  return { holder: address, from_block: from, through_block: through };
}

/** Formats a change for an answer. */
export function toEntry({
  afterBlock,
  block,
  cause,
  transactions,
  before,
  after,
  net,
}: BalanceChange): z.output<typeof change> {
  const isKnown = before !== null && after !== null;
  return {
    block: block.number,
    block_hash: block.hash,
    date: isoDate(block.timestamp),
    after_block: afterBlock,
    cause,
    transactions: [...transactions],
    balance_before: before?.toString() ?? null,
    balance_after: after?.toString() ?? null,
    unexplained: isKnown ? (after - before - net).toString() : null,
  };
}

/** Makes a table of changes. @param holding the columns of whose amounts, and of what @param promise those that say if any may be missing */
export function changesTable<R extends z.output<typeof change>>(
  rows: readonly R[],
  holding: Readonly<Record<string, (row: R) => Cell>>,
  promise: Readonly<Record<string, (row: R) => Cell>>,
): Table {
  return tableOf(rows, {
    ...fieldColumns('date', 'block', 'block_hash', 'after_block'),
    ...holding,
    ...fieldColumns('balance_before', 'balance_after', 'unexplained', 'cause', 'transactions'),
    ...promise,
  });
}
