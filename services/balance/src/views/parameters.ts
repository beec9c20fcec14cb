/** The parameters that endpoints share. */
import {
  MAX_POINTS,
  readPoints,
  readStep,
  STEP_EXPECTED,
  STEP_PATTERN,
  type Grid,
} from '@hindsight/api/series-grid.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import { MAX_TOKENS } from '@hindsight/api/units.ts';
import { readAddress } from '@hindsight/chain/address.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import {
  accountParam,
  beginParam,
  boundParam,
  cursorParam,
  heightParam,
  networkParam,
  refuseSeveralBlocks,
  whenParams,
  type WhenQuery,
} from '@hindsight/chain/params.ts';
import { textParam } from '@hindsight/chain/text-param.ts';
import { z } from 'zod';
import { NATIVE, type Asset } from '../domain/asset.ts';
import { MAX_LIST_CURSOR, readListCursor } from '../domain/list-page.ts';
import type { When } from '../domain/pinned.ts';
import type { PointsQuestion } from '../domain/series.ts';

export const pathParams = z.object({ network: networkParam(NETWORKS) });

export const account = (description: string): typeof accountParam => accountParam.meta({ description });

/** A token's address, or `native` for the chain's own coin. */
export const assetParam = textParam((value, refuse): Asset => {
  if (value === NATIVE) return value;
  const read = readAddress(value);
  return 'address' in read ? read.address : refuse(`${read.fault}, or ${NATIVE}`);
}).meta({ pattern: '^(native|0x[0-9a-fA-F]{40})$' });

/** When a name is resolved in a question over time. */
export const resolveParam = (description: string) =>
  z.enum(['once', 'each']).optional().meta({ default: 'once', description });

/** Several of them, each once. */
export const assetsParam = z
  .unknown()
  .transform((value, context): readonly Asset[] => {
    const refuse = (message: string): never => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (value === undefined) return refuse('missing; expected a token contract, or native');
    const read: Asset[] = [];
    for (const text of ([value].flat() as string[]).flatMap((one) => one.split(','))) {
      const { success, data, error } = assetParam.safeParse(text);
      if (!success) return refuse(error.issues[0]?.message ?? '');
      if (read.includes(data)) return refuse(`${data} is given twice; expected each token once`);
      read.push(data);
    }
    return read.length <= MAX_TOKENS
      ? read
      : refuse(`it has ${read.length} tokens; expected ${MAX_TOKENS} at the most`);
  })
  .meta({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: MAX_TOKENS,
    description: `The token contracts, ${MAX_TOKENS} at the most; \`native\` for the chain’s own coin. Repeated, or separated by commas.`,
  });

/** The distance between points, or the length of periods. */
export const stepParam = textParam((text, refuse): Grid => readStep(text) ?? refuse(STEP_EXPECTED)).meta({
  pattern: STEP_PATTERN,
});

const pointsParam = textParam(
  (text, refuse): Grid => readPoints(text) ?? refuse(`expected a number of points from 2 to ${MAX_POINTS}`),
).meta({ type: 'integer', minimum: 2, maximum: MAX_POINTS });

/** The points of a series: its ends, and their distance or number. */
export const pointsParams = {
  from: beginParam.meta({
    description: 'The first point: a block height, or an ISO 8601 date (UTC if it names no zone)',
  }),
  to: boundParam.optional().meta({
    description: 'The end: a block height, or an ISO 8601 date. Without it, the latest block.',
  }),
  step: stepParam.optional().meta({
    description:
      'The distance between points: 1h, 6h, 1d, 1w, 1M (the same day of each month, or its last one, in the zone of `from`) or a number of blocks',
  }),
  points: pointsParam.optional().meta({
    description:
      'In place of step: the number of points, spread evenly over blocks between two heights, otherwise over time; fewer where there are not as many blocks, or seconds',
  }),
};

/** Reads `pointsParams`. @throws {ApiError} 400 where not exactly one of step and points is given */
export function readPointsQuestion({
  from,
  to,
  step,
  points,
}: z.output<z.ZodObject<typeof pointsParams>>): PointsQuestion {
  if (step !== undefined && points !== undefined)
    throw badRequest('points: given together with step; expected one of them', 'conflicting_parameters');
  const grid = step ?? points;
  if (grid === undefined) throw badRequest('step is required, or points', 'missing_parameter');
  return { from, to: to ?? 'latest', grid: inZoneOf(from, grid) };
}

/** Counts months by the calendar of the zone in which the beginning is given. */
export function inZoneOf({ ahead }: z.output<typeof beginParam>, grid: Grid): Grid {
  return grid.step === 'month' ? { ...grid, ahead } : grid;
}

/** A parameter in a JSON body, where a whole number may also be a number. */
const orNumber = <P extends z.ZodType<unknown, string>>(param: P, expected: string) =>
  z
    .union([z.int().min(0).transform(String), z.string().meta({ minLength: 1, maxLength: 40 })], expected)
    .pipe(param);

export const pointsBody = {
  from: orNumber(beginParam, 'expected a block height or a date').meta(metaOf('from')),
  to: orNumber(boundParam, 'expected a block height or a date').optional().meta(metaOf('to')),
  step: orNumber(stepParam, STEP_EXPECTED).optional().meta(metaOf('step')),
  points: orNumber(pointsParam, 'expected a whole number').optional().meta(metaOf('points')),
};

function metaOf(name: keyof typeof pointsParams): { description: string } {
  return { description: pointsParams[name].meta()?.description ?? '' };
}

/** The start of a page of a list that events name. */
export const listCursor = cursorParam(readListCursor, MAX_LIST_CURSOR).optional().meta({
  description:
    'The `next` of the answer before: continues there, at the same block. Everything else is as before',
});

/** `whenParams` in a JSON body, where a height may also be a number. */
export const whenBody = {
  ...whenParams,
  block_height: z
    .union(
      [z.int().min(0).transform(String), z.string().meta({ pattern: '^[0-9]{1,16}$' })],
      'expected a block height: a whole decimal number from 0',
    )
    .pipe(heightParam)
    .optional()
    .meta({ description: 'The block number. Without it, date and block_hash, the latest block is used.' }),
};

/** Reads `whenParams`. @throws {ApiError} 400 when more than one is given */
export function readWhen(query: WhenQuery): When {
  refuseSeveralBlocks(query);
  const { block_height: height, date, block_hash: hash } = query;
  if (height !== undefined) return { height };
  if (date !== undefined) return { date };
  return hash === undefined ? 'latest' : { hash };
}
