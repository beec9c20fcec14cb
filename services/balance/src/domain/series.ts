/** One balance at many blocks: the question, the moments or heights that it means, and the record that answers it. */
import { countPoints, MAX_POINTS, pointsOnGrid, type Grid } from '@hindsight/api/series-grid.ts';
import { badRequest, notFound } from '@hindsight/kernel/errors.ts';
import type { AccountRef } from './account.ts';
import { isoDate, type NetworkName, type ReadBlock } from './pinned.ts';
import { balanceStandard, tokenFields, type TokenAt, type TokenFields } from './token.ts';

/** An end of a series: a height, or a date in Unix seconds. */
export type Bound = { readonly height: number } | { readonly date: number };

/** Asks for a holder's balances over time. */
export interface SeriesQuestion {
  /** EIP-55; null for the native coin. */
  readonly token: string | null;
  readonly holder: AccountRef;
  readonly from: Bound;
  readonly to: Bound | 'latest';
  readonly grid: Grid;
}

/** True if a series steps through time, false if through heights. */
export function isTimed({ from, to, grid }: SeriesQuestion): boolean {
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

/** The balance at one point. */
export interface SeriesPoint {
  readonly block: ReadBlock;
  /** The moment that was meant, in Unix seconds; null where the series steps through heights. */
  readonly instant: number | null;
  /** `no-contract`: there was no code at the token's address. `no-balance`: the contract did not answer with one. */
  readonly amount: bigint | 'no-contract' | 'no-balance';
}

/** A holder's balances over time. */
export interface SeriesReading {
  /** EIP-55. */
  readonly holder: string;
  /** Null for the native coin. */
  readonly token: TokenAt | null;
  /** Ascending; at least one. */
  readonly points: readonly SeriesPoint[];
  /** True if the same question will always have this answer. */
  readonly lasting: boolean;
}

/** A point in the format of answers. */
export interface PointRecord {
  readonly instant: string | null;
  readonly date: string;
  readonly block: number;
  readonly block_hash: string;
  readonly balance: string | null;
  readonly reason?: 'no-contract' | 'no-balance' | undefined;
}

interface SeriesFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly holder: string;
  readonly finalized: boolean;
  readonly points: readonly PointRecord[];
}

/** The record of GET …/balance/series for ether. */
export type NativeSeriesRecord = SeriesFields;

/** The record of GET …/balance/series for a token. */
export type TokenSeriesRecord = SeriesFields & TokenFields<'erc20' | 'erc721'>;

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token at any point; 400 for an ERC-1155
 */
export function toSeriesRecord(
  network: NetworkName,
  { holder, token, points }: SeriesReading,
): NativeSeriesRecord | TokenSeriesRecord {
  const fields = {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
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

function toPointRecord({ block, instant, amount }: SeriesPoint): PointRecord {
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
