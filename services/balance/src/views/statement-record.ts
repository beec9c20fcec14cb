/** The record of a statement: its schema, and how it is made of a reading. */
import { MAX_POINTS } from '@hindsight/api/series-grid.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { isoDate, type NetworkName } from '../domain/pinned.ts';
import type { Period, PeriodEnd, StatementReading } from '../domain/statement.ts';
import { assetFields } from '../domain/token.ts';
import {
  address,
  allFinalized,
  amount,
  hash,
  holderOverTime,
  ofAsset,
  signedAmount,
  time,
  toHolder,
} from './fields.ts';

const instant = (description: string) => z.iso.datetime({ precision: 3 }).nullable().meta({ description });

/** A period in the format of answers. */
const period = z.object({
  from_instant: instant('The moment that was meant; null between heights'),
  from_date: time,
  from_block: z.int().meta({ description: 'The period is after this block, whose state is its opening' }),
  from_block_hash: hash('The block’s hash'),
  to_instant: instant('The moment that was meant; null between heights'),
  to_date: time,
  to_block: z.int().meta({ description: 'The last block of the period, whose state is its closing' }),
  to_block_hash: hash('The block’s hash'),
  opening: amount(
    'The balance at the beginning; null where the contract did not answer with one, or the name had no address',
  ).nullable(),
  in: amount('What came in, by events').nullable(),
  out: amount('What went out, by events').nullable(),
  unexplained: signedAmount.nullable().meta({
    description:
      'What no event explains: opening + in − out + unexplained = closing. A rebase, a fee on transfers; of ether all ' +
      'that no log names',
  }),
  closing: amount(
    'The balance at the end; null where the contract did not answer with one, or the name had no address',
  ).nullable(),
  transfers: z.int().nullable().meta({ description: 'The number of events that make up `in` and `out`' }),
  holder: address(
    'Only with `resolve=each`: the address that the name meant at `to_block`, of which the whole period is; null where it ' +
      'had none',
  )
    .nullable()
    .optional(),
  cause: z
    .literal('state')
    .nullable()
    .meta({ description: 'state: only the state says that `unexplained` moved; null where it is 0' }),
});

/** GET …/balance/statement */
export const statementRecord = ofAsset({
  ...holderOverTime('at the last block'),
  finalized: allFinalized,
  complete: z.boolean().meta({
    description:
      'True if the events of all periods were searched. Where they were not, `in`, `out` and `unexplained` of a period are ' +
      'null: ask for that period alone',
  }),
  periods: z
    .array(period)
    .max(MAX_POINTS)
    .meta({
      description:
        'From the first to the last; each begins at the block where the one before ends, and with its closing balance unless ' +
        'a name moved',
    }),
});

/** The record of a statement. */
export type StatementRecord = z.output<typeof statementRecord>;

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token at any end of a period; 400 for an ERC-1155
 */
export function toStatementRecord(
  network: NetworkName,
  { holder, token, periods }: StatementReading,
): StatementRecord {
  const ends = [periods[0]!.from, ...periods.map(({ to }) => to)];
  if (token !== null && ends.every(({ amount }) => amount === 'no-contract'))
    throw notFound('no_contract', `There is no contract at ${token.token} at any end of a period`);
  return {
    ...assetFields(network, token),
    ...toHolder(holder),
    finalized: ends.every(({ block }) => block.finalized),
    complete: periods.every(({ flow, holder: own }) => flow !== null || own === null),
    periods: periods.map(toPeriodRecord),
  };
}

function toPeriodRecord({ from, to, flow, holder }: Period): z.output<typeof period> {
  const [opening, closing] = [amountAt(from), amountAt(to)];
  const unexplained =
    opening === null || closing === null || flow === null ? null : closing - opening - flow.in + flow.out;
  return {
    from_instant: from.instant === null ? null : isoDate(from.instant),
    from_date: isoDate(from.block.timestamp),
    from_block: from.block.number,
    from_block_hash: from.block.hash,
    to_instant: to.instant === null ? null : isoDate(to.instant),
    to_date: isoDate(to.block.timestamp),
    to_block: to.block.number,
    to_block_hash: to.block.hash,
    opening: opening?.toString() ?? null,
    in: flow?.in.toString() ?? null,
    out: flow?.out.toString() ?? null,
    unexplained: unexplained?.toString() ?? null,
    closing: closing?.toString() ?? null,
    transfers: flow?.transfers ?? null,
    ...(holder === undefined ? {} : { holder }),
    cause: unexplained === null || unexplained === 0n ? null : 'state',
  };
}

/** Before its contract a token has no holders. */
function amountAt({ amount }: PeriodEnd): bigint | null {
  if (amount === 'no-contract') return 0n;
  return typeof amount === 'bigint' ? amount : null;
}
