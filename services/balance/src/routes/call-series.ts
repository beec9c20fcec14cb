import { OPERATIONS } from '@hindsight/api/operations.ts';
import { MAX_POINTS, POINTS_PER_UNIT } from '@hindsight/api/series-grid.ts';
import { unitsOf } from '@hindsight/api/units.ts';
import { z } from 'zod';
import type { CallPoint, CallSeriesReading } from '../domain/call/call-series.ts';
import { noContract } from '../domain/call/call.ts';
import { encodeCall, MAX_WORDS } from '../domain/call/encode.ts';
import { parseFunction, type AbiFunction } from '../domain/call/signature.ts';
import { namesFields, networkFields, type NetworkName } from '../domain/pinned.ts';
import { tableOf, type Table } from '../rows/csv-table.ts';
import { outcomes, signature } from '../views/call-fields.ts';
import {
  allFinalized,
  namesResolvedAt,
  network,
  pointAt,
  resolved,
  resolvedAtBlock,
  toPointAt,
  toResolvedAt,
} from '../views/fields.ts';
import { account, pointsBody, readPointsQuestion } from '../views/parameters.ts';
import { MOVED_NAME } from '../views/refusals.ts';
import { POINT_COLUMNS } from '../views/shared-columns.ts';
import { defineBodyRoute } from './body-route.ts';

const record = z.object({
  ...network,
  target: resolved('The contract', 'at the last point’s block'),
  target_resolved_at: resolvedAtBlock,
  ...namesResolvedAt,
  function: z.string().meta({ description: 'The signature in full, as it was understood' }),
  finalized: allFinalized,
  points: z
    .array(
      z.union([
        z.object({ ...pointAt, ...outcomes.returned }),
        z.object({ ...pointAt, reverted: outcomes.reverted }),
        z.object({ ...pointAt, error: outcomes.error }),
        z.object({
          ...pointAt,
          reason: z.literal('no-contract').meta({ description: 'There was no contract at that block' }),
        }),
      ]),
    )
    .max(MAX_POINTS)
    .meta({ description: 'From the first to the last' }),
});
type Point = z.output<typeof record>['points'][number];

/** POST /v1/{network}/call/series: one call of a view at many blocks. */
export const callSeries = defineBodyRoute({
  operation: {
    ...OPERATIONS.getCallSeries,
    tag: 'Calls',
    summary: 'Call a view over time',
    description:
      'Calls any function of any contract, with the same arguments, at up to 1,000 blocks or dates: the share price of a ' +
      'vault, a total supply or a rate over a year, in one request. Points are as in `balance/series`, each the last block at ' +
      'or before its moment, and the calls as in `call`, with the same bounds: a point whose call reverts, or has an answer ' +
      'of other types, says so in place of `values`. A point before the contract has `reason: no-contract`. With ' +
      '`Accept: text/csv` a point is a row, with a column for each value (lists as JSON). Costs one unit for every 10 points begun.',
    success: {
      name: 'CallSeries',
      schema: record,
      alternatives: ['text/csv'],
      description: 'The values that the calls returned, from the first point to the last',
    },
    codes: ['no_contract', 'invalid_function', 'invalid_arguments', 'invalid_range', 'name_moved'],
    errors: {
      400: 'The body is malformed, the signature cannot be read, an argument does not fit its type, the ends are in the wrong order, or there are more than 1,000 points',
      404: 'No such network, no contract at any point, a name without an address at the last point, or an end above the head',
      409: MOVED_NAME,
      413: 'The body is larger than 64 KiB',
    },
  },
  body: z.strictObject({
    target: account('The contract: an address or an ENS name, which is resolved at the last point'),
    function: signature,
    args: z
      .array(z.unknown(), 'expected a list of arguments')
      .max(MAX_WORDS, `expected at most ${MAX_WORDS} arguments`)
      .default([])
      .meta({
        minItems: 0,
        description: 'The arguments of the call, the same at each point. Without it, the call has none',
      }),
    ...pointsBody,
  }),
  async read(history, { target, function: text, args, ...points }, signal) {
    const called = parseFunction(text);
    const data = encodeCall(called, args, 'args');
    const question = { target, called, data, ...readPointsQuestion(points) };
    const reading = await history.callSeries(question, signal);
    const answer = toRecord(history.network, called, reading);
    const units = unitsOf(reading.points.length, POINTS_PER_UNIT);
    return { record: answer, units, toTable: () => tableIn(answer, called) };
  },
});

/** @throws {ApiError} 404 where there is no contract at any point */
function toRecord(
  history: NetworkName,
  { text }: AbiFunction,
  { target, points }: CallSeriesReading,
): z.output<typeof record> {
  if (points.every(({ outcome }) => outcome === 'no-contract'))
    throw noContract(target.address, points.at(-1)!.block.number);
  return {
    ...networkFields(history),
    target: target.address,
    ...(target.resolvedAt && { target_resolved_at: toResolvedAt(target.resolvedAt) }),
    ...namesFields(target.namesAt),
    function: text,
    finalized: points.every(({ block }) => block.finalized),
    points: points.map(toPoint),
  };
}

function toPoint(point: CallPoint): Point {
  const { outcome } = point;
  const result = outcome === 'no-contract' ? { reason: outcome } : outcome;
  return { ...toPointAt(point), ...result };
}

/** A column for each value, by its name where it has one of its own. */
function tableIn({ target, points }: z.output<typeof record>, { outputs }: AbiFunction): Table {
  const names = outputs.map(({ name }) => name);
  const values = names.map((name, i) => {
    const isOwn = name && names.indexOf(name) === names.lastIndexOf(name);
    const cell = (row: Point): string | null => {
      const value = 'values' in row ? row.values[i] : undefined;
      return value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);
    };
    return [`value_${isOwn ? name : i}`, cell] as const;
  });
  return tableOf(points, {
    ...POINT_COLUMNS,
    target: () => target,
    ...Object.fromEntries(values),
    ...(outputs.length === 0 && { data: (row: Point) => ('data' in row ? row.data : undefined) ?? null }),
    reason: reasonOf,
  });
}

/** Words for a point without values. */
function reasonOf(row: Point): string | null {
  if ('reason' in row) return row.reason;
  if ('reverted' in row) return row.reverted.reason ?? 'reverted';
  return 'error' in row ? row.error.message : null;
}
