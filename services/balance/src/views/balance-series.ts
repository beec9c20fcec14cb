import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_POINTS, POINTS_PER_UNIT } from '@hindsight/api/series-grid.ts';
import { unitsOf } from '@hindsight/api/units.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { NATIVE } from '../domain/asset.ts';
import type { NetworkName } from '../domain/pinned.ts';
import type { SeriesPoint, SeriesReading } from '../domain/series.ts';
import { assetFields } from '../domain/token.ts';
import { tableOf } from '../rows/csv-table.ts';
import {
  address,
  allFinalized,
  amount,
  holderOverTime,
  ofAsset,
  pointAt,
  toHolder,
  toPointAt,
} from './fields.ts';
import { account, assetParam, pointsParams, readPointsQuestion, resolveParam } from './parameters.ts';
import { holdingColumns, POINT_COLUMNS } from './shared-columns.ts';
import { QUESTION_ERRORS } from './refusals.ts';
import { defineRange } from './view.ts';

const pointRecord = z.object({
  ...pointAt,
  balance: amount('The balance in the smallest unit').nullable(),
  reason: z
    .enum(['no-contract', 'no-balance', 'not-asked', 'no-name'])
    .optional()
    .meta({
      description:
        'Only where the balance is null: there was no contract at the token’s address, it did not answer with a balance, ' +
        'its calls used up their gas at too many other points, so that it was not asked alone at this one, or the name had no address',
    }),
  holder: address(
    'Only with `resolve=each`: the address that the name meant at the block; null where it had none',
  )
    .nullable()
    .optional(),
});

/** GET …/balance/series */
const seriesRecord = ofAsset({
  ...holderOverTime('at the last point’s block'),
  finalized: allFinalized,
  points: z.array(pointRecord).max(MAX_POINTS).meta({ description: 'From the first to the last' }),
});

/** GET /v1/{network}/balance/series: a holder's balance at many blocks. */
export const balanceSeries = defineRange({
  operation: {
    ...OPERATIONS.getBalanceSeries,
    summary: 'Get a balance over time',
    description:
      'Returns up to 1,000 balances of a wallet between two blocks or dates: a chart, or the days of a tax year, in one ' +
      'request. Each point is the last block at or before its moment, and names that block. Where there was no such token ' +
      'yet, or none any more, the balance is null and `reason` says why. The token’s name, symbol and decimals are those at ' +
      'the last point with a balance. With `Accept: text/csv` a point is a row. Costs one unit for every 10 points begun.',
    success: {
      name: 'BalanceSeries',
      schema: seriesRecord,
      description: 'The balances, from the first point to the last',
    },
    errors: {
      400: `${QUESTION_ERRORS[400]}. Also for more than 1,000 points, ends in the wrong order, and an ERC-1155 contract`,
      404: 'No such network, no token at any point, a name without an address at the last point, or an end above the head',
    },
  },
  parameters: {
    token_address: assetParam.meta({ description: 'The token contract, or `native` for ether' }),
    holder: account('The wallet: an address or an ENS name, which is resolved at the last point'),
    ...pointsParams,
    resolve: resolveParam(
      'An ENS name is resolved `once`, at the last point, and refused if it meant another address before; or at `each` ' +
        'of up to 100 points, which then names its `holder`',
    ),
  },
  async read(history, { token_address, holder, resolve = 'once', ...points }, signal) {
    const token = token_address === NATIVE ? null : token_address;
    const question = { token, holder, resolve, ...readPointsQuestion(points) };
    const reading = await history.series(question, signal);
    const record = toRecord(history.network, reading);
    const units = unitsOf(reading.points.length, POINTS_PER_UNIT);
    return { record, units, lasting: reading.lasting };
  },
  table(record, network) {
    return tableOf(record.points, {
      ...POINT_COLUMNS,
      ...holdingColumns(network, record),
      ...(record.points.some(({ holder }) => holder !== undefined) && { holder: (row) => row.holder }),
      balance: (row) => row.balance,
      reason: (row) => row.reason,
    });
  },
});

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token at any point; 400 for an ERC-1155
 */
function toRecord(
  network: NetworkName,
  { holder, token, points }: SeriesReading,
): z.output<typeof seriesRecord> {
  if (token !== null && points.every(({ amount }) => amount === 'no-contract'))
    throw notFound('no_contract', `There is no contract at ${token.token} at any point of the series`);
  return {
    ...assetFields(network, token),
    ...toHolder(holder),
    finalized: points.every(({ block }) => block.finalized),
    points: points.map(toPointRecord),
  };
}

function toPointRecord(point: SeriesPoint): z.output<typeof pointRecord> {
  const { amount, holder } = point;
  const isKnown = typeof amount === 'bigint';
  return {
    ...toPointAt(point),
    balance: isKnown ? amount.toString() : null,
    ...(isKnown ? {} : { reason: amount }),
    ...(holder === undefined ? {} : { holder }),
  };
}
