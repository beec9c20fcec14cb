/** Reads a holder's balances over time. */
import { notFound } from '@hindsight/kernel/errors.ts';
import { NoBlockAtDate } from '@hindsight/chain/dates/date-search.ts';
import { BeforeFirstBlock, type Block } from '@hindsight/chain/state/block.ts';
import {
  isTimed,
  pointsOf,
  type Bound,
  type PointsQuestion,
  type SeriesPoint,
  type SeriesQuestion,
  type SeriesReading,
} from '../domain/series.ts';
import type { TokenAt } from '../domain/token.ts';
import {
  asRead,
  bounded,
  distinctBlocks,
  findEnd,
  isForGood,
  resolveEach,
  resolveHolder,
  type RangeDeps,
} from './ranges.ts';
import { readRowAtBlocks, type RowReading } from './row-at-blocks.ts';

/** The blocks of a series, in the order of its points. */
interface Located {
  readonly blocks: readonly Block[];
  /** Unix seconds; null where the series steps through heights. */
  readonly instants: readonly number[] | null;
}

/** Reads a series. @throws {ApiError} as `History.series` */
export async function readSeries(
  deps: RangeDeps,
  question: SeriesQuestion,
  signal: AbortSignal,
): Promise<SeriesReading> {
  const { token } = question;
  const { blocks, instants } = await locate(deps, question, signal);
  const last = blocks.at(-1);
  if (last === undefined) throw new TypeError('a series has a point');
  const all = distinctBlocks(blocks);
  const each = isOfEach(question) ? await resolveEach(deps, question.holder.name, all, signal) : undefined;
  const holder =
    each?.last ??
    (await resolveHolder(deps, question.holder, { from: all[0]!, to: last }, signal, { orEach: true }));
  const distinct = each ? all.filter(({ hash }) => each.addresses.has(hash)) : all;
  const account = { token, holder: each?.addresses ?? holder.address };
  const row = await readRowAtBlocks(deps.reader, account, distinct, signal);
  const facts = token === null ? null : await factsOverTime(deps, token, distinct, row, signal);
  const points = blocks.map((block, i): SeriesPoint => ({
    block: asRead(deps.reader, block),
    instant: instants?.[i] ?? null,
    amount:
      row.amounts.get(block.hash) ?? (each?.addresses.has(block.hash) === false ? 'no-name' : 'no-balance'),
    ...(each && { holder: each.addresses.get(block.hash) ?? null }),
  }));
  const isLast = isForGood(deps.reader, last, instants !== null);
  const lasting = question.to !== 'latest' && holder.lasting && isLast;
  return { holder, token: facts, points, lasting };
}

type Resolved = Pick<SeriesQuestion, 'resolve' | 'holder'>;

/** True if a name is to be resolved at each point. */
export function isOfEach<Q extends Resolved>(
  question: Q,
): question is Q & { readonly holder: { readonly name: string } } {
  return question.resolve === 'each' && 'name' in question.holder;
}

/**
 * Finds the blocks of a grid's points, several a request.
 * @param withEnd adds the end of the range where no point is there
 * @throws {ApiError} as `History.series`
 */
export async function locate(
  deps: RangeDeps,
  question: PointsQuestion,
  signal: AbortSignal,
  withEnd = false,
): Promise<Located> {
  const { reader, dates } = deps;
  const { from, to, grid } = question;
  const timed = isTimed(question);
  // Before any request, if possible.
  const [givenFrom, givenTo] = [givenEnd(from, timed), givenEnd(to, timed)];
  const areGiven = givenFrom !== undefined && givenTo !== undefined;
  if (areGiven) pointsOf(grid, givenFrom, givenTo);
  const end = async (bound: Bound | 'latest', field: string): Promise<number> => {
    const block = await bounded(field, findEnd(deps, bound, signal));
    return timed ? block.timestamp : block.number;
  };
  // The chain must have reached a height; moments are found with the points.
  const last = timed && givenTo !== undefined ? givenTo : await end(to, 'to');
  const first = givenFrom !== undefined && (timed || areGiven) ? givenFrom : await end(from, 'from');
  const onGrid = pointsOf(grid, first, last);
  const points = withEnd && onGrid.at(-1) !== last ? [...onGrid, last] : onGrid;
  if (!timed) return { blocks: await bounded('from', reader.findBlocks(points, signal)), instants: null };
  try {
    return { blocks: await dates.findBlocksAt(points, signal), instants: points };
  } catch (error) {
    if (!(error instanceof NoBlockAtDate || error instanceof BeforeFirstBlock)) throw error;
    await bounded('from', dates.findBlockAt(first, signal));
    throw notFound('no_block_at_date', `to: ${error.message}`);
  }
}

/** An end in the series' own unit, Unix seconds or heights, where it was given in that. */
function givenEnd(bound: Bound | 'latest', timed: boolean): number | undefined {
  if (bound === 'latest') return undefined;
  if ('date' in bound) return timed ? bound.date : undefined;
  return timed ? undefined : bound.height;
}

/** The token at the last block at which it had a balance, or else at which it was a contract. */
export async function factsOverTime(
  { tokens }: RangeDeps,
  token: string,
  blocks: readonly Block[],
  { amounts, factsAtLast }: RowReading,
  signal: AbortSignal,
): Promise<TokenAt> {
  const last = blocks.at(-1)!;
  const at =
    blocks.findLast(({ hash }) => typeof amounts.get(hash) === 'bigint') ??
    blocks.findLast(({ hash }) => amounts.get(hash) !== 'no-contract') ??
    last;
  const facts =
    at === last
      ? await tokens.settleFacts(at, token, factsAtLast, signal)
      : (await tokens.readFacts(at, token, signal)).facts;
  return { ...facts, height: at.number };
}
