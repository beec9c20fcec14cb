import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_POINTS, POINTS_PER_UNIT, readPoints, type Grid } from '@hindsight/api/series-grid.ts';
import { unitsOf } from '@hindsight/api/units.ts';
import { boundParam, networkParam } from '@hindsight/chain/params.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { badRequest, notFound } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { NATIVE } from '../domain/asset.ts';
import { isoDate, type NetworkName } from '../domain/pinned.ts';
import type { SeriesPoint, SeriesQuestion, SeriesReading } from '../domain/series.ts';
import { balanceStandard, tokenFields } from '../domain/token.ts';
import type { History } from '../ports.ts';
import type { Answers } from '../routes/answers.ts';
import { tableOf, type Table } from '../rows/csv-table.ts';
import { amount, hash, holderOverTime, network, standard, time, toHolder, token } from './fields.ts';
import { account, assetParam, pathParams, stepParam } from './parameters.ts';
import { holdingColumns } from './shared-columns.ts';
import { MOVED_NAME, QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';

const pointsParam = z
  .string()
  .transform((text, context): Grid => {
    const grid = readPoints(text);
    if (grid !== undefined) return grid;
    context.addIssue({ code: 'custom', message: `expected a number of points from 2 to ${MAX_POINTS}` });
    return z.NEVER;
  })
  .meta({ type: 'integer', minimum: 2, maximum: MAX_POINTS });

const querystring = z.strictObject({
  token_address: assetParam.meta({ description: 'The token contract, or `native` for ether' }),
  holder: account('The wallet: an address or an ENS name, which is resolved at the last point'),
  from: boundParam.meta({
    description: 'The first point: a block height, or an ISO 8601 date (UTC if it names no zone)',
  }),
  to: boundParam.optional().meta({
    description: 'The end: a block height, or an ISO 8601 date. Without it, the latest block.',
  }),
  step: stepParam.optional().meta({
    description:
      'The distance between points: 1h, 6h, 1d, 1w, 1M (the same day of each month, or its last one) or a number of blocks',
  }),
  points: pointsParam.optional().meta({
    description:
      'In place of step: the number of points, spread evenly over blocks between two heights, otherwise over time',
  }),
});

/** A point in the format of answers. */
const point = z.object({
  instant: z.iso
    .datetime({ precision: 3 })
    .nullable()
    .meta({ description: 'The moment that was meant; null where the series steps through heights' }),
  date: time,
  block: z.int().meta({ description: 'The block: the last one at or before the moment' }),
  block_hash: hash('The block’s hash'),
  balance: amount('The balance in the smallest unit').nullable(),
  reason: z
    .enum(['no-contract', 'no-balance'])
    .optional()
    .meta({
      description:
        'Only where the balance is null: there was no contract at the token’s address, or it did not answer with a ' +
        'balance',
    }),
});

const series = {
  ...holderOverTime('at the last point’s block'),
  finalized: z.boolean().meta({ description: 'Whether none of the blocks can be reorganised away any more' }),
  points: z.array(point).max(MAX_POINTS).meta({ description: 'From the first to the last' }),
};

/** GET …/balance/series */
const seriesRecord = z.union([
  z.object({
    ...network,
    ...token,
    token_type: standard('erc20', 'erc721'),
    ...series,
  }),
  z.object({ ...network, ...series }).meta({ description: 'Of `native`' }),
]);

/** The route as documented. */
export const balanceSeries = {
  ...OPERATIONS.getBalanceSeries,
  tag: 'Balances',
  summary: 'Get a balance over time',
  description:
    'Returns up to 1,000 balances of a wallet between two blocks or dates: a chart, or the days of a tax year, in one ' +
    'request. Each point is the last block at or before its moment, and names that block. Where there was no such token ' +
    'yet, or none any more, the balance is null and `reason` says why. The token’s name, symbol and decimals are those at ' +
    'the last point with a balance. With `Accept: text/csv` a point is a row. Costs one unit for every 10 points begun.',
  params: pathParams,
  querystring,
  success: {
    status: 200,
    name: 'BalanceSeries',
    schema: seriesRecord,
    cacheable: true,
    alternatives: ['text/csv'],
    description: 'The balances, from the first point to the last',
  },
  codes: [...QUESTION_CODES, ...TOKEN_CODES, 'invalid_range', 'name_moved'],
  errors: {
    ...QUESTION_ERRORS,
    400: `${QUESTION_ERRORS[400]}. Also for more than 1,000 points, ends in the wrong order, and an ERC-1155 contract`,
    404: 'No such network, no token at any point, a name without an address at the last point, or an end above the head',
    409: MOVED_NAME,
  },
} as const satisfies ApiOperation;

/** GET /v1/{network}/balance/series: a holder's balance at many blocks. */
export function addBalanceSeries(
  app: HttpServer,
  histories: ReadonlyMap<string, History>,
  answers: Answers,
): void {
  const params = z.object({ network: networkParam(histories) });
  app.get(balanceSeries.path, { schema: { params, querystring } }, (request, reply) => {
    const { network: history } = request.params;
    const question = toQuestion(request.query);
    return answers.sendComputed(request, reply, async (signal) => {
      const reading = await history.series(question, signal);
      const record = toRecord(history.network, reading);
      const units = unitsOf(reading.points.length, POINTS_PER_UNIT);
      return { record, units, lasting: reading.lasting, toTable };
    });
  });
}

/** @throws {ApiError} 400 where not exactly one of step and points is given */
function toQuestion({
  token_address,
  holder,
  from,
  to,
  step,
  points,
}: z.output<typeof querystring>): SeriesQuestion {
  if (step !== undefined && points !== undefined) {
    throw badRequest('points: given together with step; expected one of them', 'conflicting_parameters');
  }
  const grid = step ?? points;
  if (grid === undefined) throw badRequest('step is required, or points', 'missing_parameter');
  const token = token_address === NATIVE ? null : token_address;
  return { token, holder, from, to: to ?? 'latest', grid };
}

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token at any point; 400 for an ERC-1155
 */
function toRecord(
  network: NetworkName,
  { holder, token, points }: SeriesReading,
): z.output<typeof seriesRecord> {
  const fields = {
    network_name: network.name,
    chain_id: network.chainId,
    ...toHolder(holder),
    finalized: points.every(({ block }) => block.finalized),
    points: points.map(toPointRecord),
  };
  if (token === null) return fields;
  if (points.every(({ amount }) => amount === 'no-contract')) {
    throw notFound('no_contract', `There is no contract at ${token.token} at any point of the series`);
  }
  const type = balanceStandard(token, token.height);
  const { network_name, chain_id, ...rest } = fields;
  return { network_name, chain_id, ...tokenFields(type, token), ...rest };
}

function toPointRecord({ block, instant, amount }: SeriesPoint): z.output<typeof point> {
  const isKnown = typeof amount === 'bigint';
  return {
    instant: instant === null ? null : isoDate(instant),
    date: isoDate(block.timestamp),
    block: block.number,
    block_hash: block.hash,
    balance: isKnown ? amount.toString() : null,
    ...(isKnown ? {} : { reason: amount }),
  };
}

function toTable(body: string): Table {
  const record = JSON.parse(body) as z.output<typeof seriesRecord>;
  return tableOf(record.points, {
    instant: (row) => row.instant,
    date: (row) => row.date,
    block: (row) => row.block,
    block_hash: (row) => row.block_hash,
    ...holdingColumns(record),
    balance: (row) => row.balance,
    reason: (row) => row.reason,
  });
}
