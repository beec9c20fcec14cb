/** Reads a holder's balances over time. */
import { notFound } from '@hindsight/kernel/errors.ts';
import { NoBlockAtDate, type DateSearch } from '@hindsight/chain/dates/date-search.ts';
import type { NameResolver } from '@hindsight/chain/ens/name-resolver.ts';
import { AboveHead, type Block } from '@hindsight/chain/state/block.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { nowhere, type AccountRef } from '../domain/account.ts';
import type { ReadBlock } from '../domain/pinned.ts';
import { isTimed, pointsOf, type Bound, type SeriesQuestion, type SeriesReading } from '../domain/series.ts';
import type { TokenReading } from '../domain/token.ts';
import { toPublicError } from './public-error.ts';
import { readRowAtBlocks, type RowReading } from './row-at-blocks.ts';
import type { TokenReader } from './token-reader.ts';

export interface SeriesDeps {
  readonly reader: ChainReader;
  readonly tokens: TokenReader;
  readonly dates: DateSearch;
  readonly names: NameResolver;
}

/** The blocks of a series, in the order of its points. */
interface Located {
  readonly blocks: readonly Block[];
  /** Unix seconds; null where the series steps through heights. */
  readonly instants: readonly number[] | null;
}

/**
 * Reads a series; once more where a block was reorganised away while it was read.
 * @throws {ApiError} as `History.series`
 */
export async function readSeries(
  deps: SeriesDeps,
  question: SeriesQuestion,
  signal: AbortSignal,
): Promise<SeriesReading> {
  try {
    return await readOnce(deps, question, signal);
  } catch (error) {
    const isGone = error instanceof NodeError && error.kind === 'unknown-block';
    if (!isGone) throw toPublicError(error, 'holder');
  }
  try {
    return await readOnce(deps, question, signal);
  } catch (error) {
    throw toPublicError(error, 'holder');
  }
}

async function readOnce(
  deps: SeriesDeps,
  question: SeriesQuestion,
  signal: AbortSignal,
): Promise<SeriesReading> {
  const { token } = question;
  const { blocks, instants } = await locate(deps, question, signal);
  const last = blocks.at(-1);
  if (last === undefined) throw new TypeError('a series has a point');
  const { address: holder, offchain } = await resolve(deps, question.holder, last, signal);
  const distinct = [...new Map(blocks.map((block) => [block.hash, block])).values()];
  const row = await readRowAtBlocks(deps.reader, { token, holder }, distinct, signal);
  const facts = token === null ? null : await readFacts(deps, token, distinct, row, signal);
  const isFinalized = (block: Block): boolean => deps.reader.isFinalized(block);
  const points = blocks.map((block, i) => ({
    block: asRead(block, isFinalized(block)),
    instant: instants?.[i] ?? null,
    amount: row.amounts.get(block.hash) ?? 'no-balance',
  }));
  // A moment means its block for ever once the block after it is final.
  const decisive = instants === null ? last : { ...last, number: last.number + 1 };
  const lasting = question.to !== 'latest' && !offchain && isFinalized(decisive);
  return { holder, token: facts, points, lasting };
}

async function locate(deps: SeriesDeps, question: SeriesQuestion, signal: AbortSignal): Promise<Located> {
  const { reader, dates } = deps;
  const { from, to, grid } = question;
  const timed = isTimed(question);
  // Before anything is asked, where that is possible.
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
  const points = pointsOf(grid, first, last);
  if (!timed) return { blocks: await reader.findBlocks(points, signal), instants: null };
  try {
    return { blocks: await dates.findBlocksAt(points, signal), instants: points };
  } catch (error) {
    if (!(error instanceof NoBlockAtDate)) throw error;
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

export function findEnd(
  { reader, dates }: SeriesDeps,
  bound: Bound | 'latest',
  signal: AbortSignal,
): Promise<Block> {
  if (bound === 'latest') return reader.findBlock(bound, signal);
  return 'height' in bound ? reader.findBlock(bound.height, signal) : dates.findBlockAt(bound.date, signal);
}

/** Names the end that there is no block for. @throws {ApiError} 404 */
export async function bounded<T>(field: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AboveHead) {
      throw notFound(
        'block_above_head',
        `${field}: block ${error.asked} does not exist yet; the latest block is ${error.head}`,
      );
    }
    if (error instanceof NoBlockAtDate) throw notFound('no_block_at_date', `${field}: ${error.message}`);
    throw error;
  }
}

export async function resolve(
  { names }: SeriesDeps,
  holder: AccountRef,
  block: Block,
  signal: AbortSignal,
): Promise<{ address: string; offchain: boolean }> {
  if ('address' in holder) return { address: holder.address, offchain: false };
  const { address, offchain, name } = await names.resolve(holder.name, block, signal);
  if (address === null) throw nowhere('holder', name, block.number);
  return { address, offchain };
}

/** What the token was at the last block at which it had a balance, or else at which it was a contract. */
async function readFacts(
  { tokens, reader }: SeriesDeps,
  token: string,
  blocks: readonly Block[],
  { amounts, factsAtLast }: RowReading,
  signal: AbortSignal,
): Promise<TokenReading> {
  const last = blocks.at(-1)!;
  const at =
    blocks.findLast(({ hash }) => typeof amounts.get(hash) === 'bigint') ??
    blocks.findLast(({ hash }) => amounts.get(hash) !== 'no-contract') ??
    last;
  const facts =
    at === last
      ? await tokens.settleFacts(at, token, factsAtLast, signal)
      : (await tokens.readFacts(at, token, signal)).facts;
  const {
    type: tokenType,
    name,
    symbol,
    decimals,
    tooCostly = false,
  } = facts ?? { type: 'none', name: '', symbol: '', decimals: null };
  const block = asRead(at, reader.isFinalized(at));
  return { block, lasting: false, token, tokenType, name, symbol, decimals, tooCostly, value: undefined };
}

export function asRead({ number, hash, timestamp }: Block, finalized: boolean): ReadBlock {
  return { number, hash, timestamp, finalized };
}
