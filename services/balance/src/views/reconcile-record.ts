/** The record of a reconciliation: its schema, and how it is made of a reading. */
import { MAX_JSON_ROWS } from '@hindsight/api/units.ts';
import { z } from 'zod';
import { isoDate, type NetworkName } from '../domain/pinned.ts';
import { explain, type CheckedRow, type Divergence, type ReconcileReading } from '../domain/reconcile.ts';
import { assetFields } from '../domain/token.ts';
import { change, toEntry } from './balance-changes.ts';
import {
  allFinalized,
  amount,
  hash,
  holderOverTime,
  ofAsset,
  signedAmount,
  time,
  toHolder,
} from './fields.ts';

const row = z.object({
  block: z.int().meta({ description: 'The block that was read' }),
  block_hash: hash('The block’s hash'),
  date: time,
  booked: amount('What the books say'),
  balance: amount('The balance on the chain; null where the token had none for the holder').nullable(),
  equal: z.boolean().nullable().meta({
    description: 'True if both are the same; null where the token gave no balance, whatever is booked',
  }),
  difference: signedAmount.meta({ description: 'The balance on the chain less the booked one' }).nullable(),
});

const divergence = z.object({
  after_block: z.int().nullable().meta({
    description: 'The last row’s block before it at which the books are right; null where there is none',
  }),
  after_block_hash: hash('The block’s hash').nullable(),
  by_block: z.int().meta({ description: 'The block of the first row that differs' }),
  by_block_hash: hash('The block’s hash'),
  difference: signedAmount.meta({ description: 'By how much: the balance on the chain less the booked one' }),
  cause: z
    .enum(['transfer', 'state'])
    .nullable()
    .meta({
      description:
        'What accounts for the difference: `transfer`: a change with events that is as large; `state`: one that no event ' +
        'explains, or all such parts together; null where no one change is as large, or several are',
    }),
  block: z.int().nullable().meta({ description: 'The block of that change; null where it is not one' }),
  transactions: z.array(hash('A transaction’s hash')).meta({ description: 'Those of that change' }),
  changes: z
    .array(change)
    .meta({ description: 'The changes between the two blocks, the oldest first; at most 100' }),
  complete: z.boolean().meta({
    description: 'True if these are all changes between the two blocks, each at its block',
  }),
});

/** POST …/balance/reconcile */
export const reconcileRecord = ofAsset({
  ...holderOverTime('at the last row’s block'),
  finalized: allFinalized,
  equal: z.boolean().meta({ description: 'True if all rows are known to be equal' }),
  rows: z.array(row).max(MAX_JSON_ROWS).meta({ description: 'In the order of the request' }),
  first_divergence: divergence
    .nullable()
    .meta({ description: 'Where books and chain first differ; null where they do not' }),
});

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token; 400 for an ERC-1155
 */
export function toReconcileRecord(
  name: NetworkName,
  { holder, token: read, rows, first }: ReconcileReading,
): z.output<typeof reconcileRecord> {
  const records = rows.map(toRow);
  return {
    ...assetFields(name, read),
    ...toHolder(holder),
    finalized: rows.every(({ block }) => block.finalized),
    equal: records.every(({ equal }) => equal === true),
    rows: records,
    first_divergence: first && toDivergence(first),
  };
}

function toRow({ block, booked, amount: balance }: CheckedRow): z.output<typeof row> {
  return {
    block: block.number,
    block_hash: block.hash,
    date: isoDate(block.timestamp),
    booked: booked.toString(),
    balance: balance?.toString() ?? null,
    equal: balance === null ? null : balance === booked,
    difference: balance === null ? null : (balance - booked).toString(),
  };
}

function toDivergence(first: Divergence): z.output<typeof divergence> {
  const { after, by, difference, changes, isComplete } = first;
  const explained = explain(first);
  return {
    after_block: after?.number ?? null,
    after_block_hash: after?.hash ?? null,
    by_block: by.number,
    by_block_hash: by.hash,
    difference: difference.toString(),
    cause: explained?.cause ?? null,
    block: explained?.change?.block.number ?? null,
    transactions: [...(explained?.change?.transactions ?? [])],
    changes: changes.map(toEntry),
    complete: isComplete,
  };
}
