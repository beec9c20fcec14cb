/** One balance at many blocks: the question, and the moments or heights that it means. */
import { countPoints, MAX_POINTS, pointsOnGrid, type Grid } from '@hindsight/api/series-grid.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { AccountRef, HolderAt } from './account.ts';
import type { ReadBlock } from './pinned.ts';
import type { TokenAt } from './token.ts';

/** An end of a series: a height, or a date in Unix seconds. */
export type Bound = { readonly height: number } | { readonly date: number };

/** The points of a question: ends, and the steps between them. */
export interface PointsQuestion {
  readonly from: Bound;
  readonly to: Bound | 'latest';
  readonly grid: Grid;
}

/** Asks for a holder's balances over time. */
export interface SeriesQuestion extends PointsQuestion {
  /** EIP-55; null for the native coin. */
  readonly token: string | null;
  readonly holder: AccountRef;
  /** A name is resolved once, at the last point, or at each of them. */
  readonly resolve: 'once' | 'each';
}

/** True if a series steps through time, false if through heights. */
export function isTimed({ from, to, grid }: PointsQuestion): boolean {
  if (grid.step !== 'even') return grid.step !== 'blocks';
  return 'date' in from || (to !== 'latest' && 'date' in to);
}

/**
 * The points from one end to the other, ascending: Unix seconds, or heights.
 * @throws {ApiError} 400 where there are too many, or the ends are in the wrong order
 */
export function pointsOf(grid: Grid, from: number, to: number): readonly number[] {
  if (from > to)
    throw badRequest('from: it is after to; expected the earlier end of the series', 'invalid_range');
  const count = countPoints(grid, from, to);
  if (count > MAX_POINTS) throw tooMany(stepText(grid), count);
  return pointsOnGrid(grid, from, to);
}

function stepText(grid: Grid): string {
  if (grid.step === 'seconds') return grid.text;
  return grid.step === 'blocks' ? `${grid.blocks} blocks` : '1M';
}

function tooMany(step: string, count: number) {
  return badRequest(
    `step: in steps of ${step} there are ${count.toLocaleString('en')} points or more; expected at most ` +
      `${MAX_POINTS.toLocaleString('en')}`,
    'invalid_range',
  );
}

export interface SeriesPoint {
  readonly block: ReadBlock;
  /** The moment that was meant, in Unix seconds; null where the series steps through heights. */
  readonly instant: number | null;
  /**
   * `no-contract`: there was no code at the token's address. `no-balance`: the contract did not answer with one.
   * `not-asked`: its calls used up their gas at too many other points. `no-name`: the name had no address.
   */
  readonly amount: bigint | 'no-contract' | 'no-balance' | 'not-asked' | 'no-name';
  /** The address that a name meant at the block, EIP-55, where it is resolved at each; null where it had none. */
  readonly holder?: string | null;
}

/** The balance, null where it is not known. Before its contract a token has no holders. */
export function balanceOf(amount: SeriesPoint['amount'] | undefined): bigint | null {
  if (amount === 'no-contract') return 0n;
  return typeof amount === 'bigint' ? amount : null;
}

/** A holder's balances over time. */
export interface SeriesReading {
  readonly holder: HolderAt;
  /** Null for the native coin. */
  readonly token: TokenAt | null;
  /** Ascending; at least one. */
  readonly points: readonly SeriesPoint[];
  /** True if the same question will always have this answer. */
  readonly lasting: boolean;
}
