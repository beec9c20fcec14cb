import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_POINTS, POINTS_PER_UNIT } from '@hindsight/api/series-grid.ts';
import { unitsOf } from '@hindsight/api/units.ts';
import { beginParam, boundParam } from '@hindsight/chain/params.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { NATIVE } from '../domain/asset.ts';
import { isoDate, type NetworkName } from '../domain/pinned.ts';
import { balanceOf } from '../domain/series.ts';
import type { Period, StatementReading } from '../domain/statement.ts';
import { assetFields } from '../domain/token.ts';
import { fieldColumns, tableOf } from '../rows/csv-table.ts';
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
import { holdingColumns } from './shared-columns.ts';
import { account, assetParam, inZoneOf, resolveParam, stepParam } from './parameters.ts';
import { QUESTION_ERRORS } from './refusals.ts';
import { defineRange } from './view.ts';

const instant = (description: string) => z.iso.datetime({ precision: 3 }).nullable().meta({ description });

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
const statementRecord = ofAsset({
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

/** GET /v1/{network}/balance/statement: a balance over periods. */
export const balanceStatement = defineRange({
  operation: {
    ...OPERATIONS.getBalanceStatement,
    summary: 'Get a statement',
    description:
      'Returns a wallet’s balance at the ends of up to 1,000 periods, and what came in and went out in each: opening + in − ' +
      'out + unexplained = closing, always. Opening and closing are the state at two blocks, which each period names; in and ' +
      'out are sums of the holder’s events; what they do not explain is told as `unexplained` and never spread. Ether’s ' +
      'transfers are logged from Glamsterdam on, so before, and for fees, withdrawals and rewards, all of it is unexplained: ' +
      '`balance/changes` finds the blocks. With `Accept: text/csv` a period is a row. Costs one unit for every 10 periods begun.',
    success: {
      name: 'BalanceStatement',
      schema: statementRecord,
      description: 'The periods, from the first to the last',
    },
    errors: {
      400: `${QUESTION_ERRORS[400]}. Also for more than 1,000 periods, ends in the wrong order, and an ERC-1155 contract`,
      404: 'No such network, no token at any end of a period, a name without an address at the last block, or an end above the head',
    },
  },
  parameters: {
    token_address: assetParam.meta({ description: 'The token contract, or `native` for ether' }),
    holder: account('The wallet: an address or an ENS name, which is resolved at the last block'),
    from: beginParam.meta({
      description: 'The beginning: a block height, or an ISO 8601 date (UTC if it names no zone)',
    }),
    to: boundParam.optional().meta({
      description:
        'The end: a block height, or an ISO 8601 date, whose first moment is meant: of the year 2023 it is 2024-01-01. Without it, the latest block.',
    }),
    resolve: resolveParam(
      'An ENS name is resolved `once`, at the last block, and refused if it meant another address before; or at the end of `each` ' +
        'of up to 100 periods, which is then a period of that `holder`',
    ),
    step: stepParam.meta({
      description:
        'The length of a period: 1h, 6h, 1d, 1w, 1M (to the same day of the next month, or its last one, in the zone of `from`) or a number of blocks. The last period ends with `to`.',
    }),
  },
  async read(history, asked, signal) {
    const { token_address, holder, from, to = 'latest', step, resolve = 'once' } = asked;
    const grid = inZoneOf(from, step);
    const token = token_address === NATIVE ? null : token_address;
    const reading = await history.statement({ token, holder, from, to, grid, resolve }, signal);
    const record = toRecord(history.network, reading);
    const units = unitsOf(reading.periods.length, POINTS_PER_UNIT);
    return { record, units, lasting: reading.lasting };
  },
  table(record, network) {
    return tableOf(record.periods, {
      ...fieldColumns('from_instant', 'from_date', 'from_block', 'from_block_hash'),
      ...fieldColumns('to_instant', 'to_date', 'to_block', 'to_block_hash'),
      ...holdingColumns(network, record),
      ...(record.periods.some(({ holder }) => holder !== undefined) && { holder: (row) => row.holder }),
      ...fieldColumns('opening', 'in', 'out', 'unexplained', 'closing', 'transfers', 'cause'),
    });
  },
});

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token at any end of a period; 400 for an ERC-1155
 */
function toRecord(
  network: NetworkName,
  { holder, token, periods }: StatementReading,
): z.output<typeof statementRecord> {
  const ends = [periods[0]!.from, ...periods.map(({ to }) => to)];
  if (token !== null && ends.every(({ amount }) => amount === 'no-contract'))
    throw notFound('no_contract', `There is no contract at ${token.token} at any end of a period`);
  return {
    ...assetFields(network, token),
    ...toHolder(holder),
    finalized: ends.every(({ block }) => block.finalized),
    complete: periods.every(({ flow, holder: own }) => flow !== null || own === null),
    periods: periods.map(toPeriod),
  };
}

function toPeriod({ from, to, flow, holder }: Period): z.output<typeof period> {
  const [opening, closing] = [balanceOf(from.amount), balanceOf(to.amount)];
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
