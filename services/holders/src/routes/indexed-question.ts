/** A question about an indexed token: its block, what of it the index has, and the addresses that may hold it. */
import type { Network } from '@hindsight/chain/networks.ts';
import { refuseSeveralBlocks, type WhenQuery } from '@hindsight/chain/params.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { mergeUpTo } from '../domain/merge.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type { HolderIndex, PinnedBlock, RecentHolders } from '../ports.ts';
import { openAsset, type Asset } from './amounts.ts';
import type { BalanceQuestions } from './balance-answers.ts';
import type { IndexedChain } from './indexed-chain.ts';
import type { IndexedBlocks } from './records.ts';

/** A process's readers of one network. */
export interface ServedHolders {
  readonly index: HolderIndex;
  readonly recent: RecentHolders;
  readonly balances: BalanceQuestions;
  readonly chain: IndexedChain;
  /** The first block that nodes have; whether it is the first of the chain. */
  firstBlock(signal: AbortSignal): Promise<{ readonly number: number; readonly isChains: boolean }>;
  readonly tracks: readonly Track[];
  /** Of newer blocks than the index has, those that are searched: more are waited for. */
  readonly mostAhead: number;
  /** Resolves once the index follows the chain, or after a few seconds. */
  ready(): Promise<void>;
}

interface Asked {
  /** EIP-55. */
  readonly token: string;
  readonly id: bigint | undefined;
  readonly when: URLSearchParams;
}

export interface OpenQuestion {
  readonly asset: Asset;
  readonly block: PinnedBlock;
  readonly index: IndexedBlocks;
  readonly track: Track;
  /** Addresses that events name after the end of the index, up to the block; lower-cased, in order. */
  readonly newer: readonly string[];
}

/** The lower bound of `mostAhead`. */
const LEAST_AHEAD = 2_000;
/** `mostAhead` of a chain of one's own, of which nothing says how late its blocks are final: as on Arbitrum, the quickest of all known. */
const AHEAD_UNKNOWN = 28_800;
const RETRY_AFTER_SECONDS = 5;
export const INDEX_UNAVAILABLE = 'The index of holders cannot be read at the moment.';

/** The track that has a token, EIP-55. @throws {ApiError} 409 where it is not indexed */
export async function trackOf(
  { tracks, index, mostAhead }: Pick<ServedHolders, 'tracks' | 'index' | 'mostAhead'>,
  token: string,
): Promise<Track> {
  const [first, all] = [token.toLowerCase(), ALL_TOKENS].filter((track) => tracks.includes(track));
  if (first === undefined) throw notIndexed(token);
  if (all === undefined) return first;
  const [own, whole] = await positionsOf(index, [first, all]);
  if (!own || !whole) return whole ? all : first;
  // The one that begins earlier has more, unless it has yet to catch up.
  const ahead = whole.number - own.number;
  return ahead > mostAhead || (whole.from < own.from && ahead >= -mostAhead) ? all : first;
}

/** Finds the block, and reads what the index does not have yet. @throws {ApiError} */
export async function openQuestion(
  network: ServedHolders,
  { token, id, when }: Asked,
  signal: AbortSignal,
): Promise<OpenQuestion> {
  const track = await trackOf(network, token);
  const block = await network.balances.block(when, signal);
  const { from, to } = await readIndexed(network, [track], signal);
  if (block.number < from)
    throw new ApiError(
      'not_indexed',
      `token_address: the token ${token} is indexed from block ${from} on, not at block ${block.number}; ` +
        'the operator of this server can have it indexed from an earlier block (INDEX_FROM)',
    );
  refuseFarAhead(network, block, to);
  const asset = await openAsset(network.balances, { token, hash: block.hash, id }, signal);
  const isAhead = block.number > to && asset.owner === undefined;
  const last = { ...block, isNamed: when.has('block_hash') };
  const newer = isAhead ? await network.recent.find(token, to + 1, last, signal) : [];
  const complete = await network.balances.hadNone(token, from, signal);
  return { asset, block, track, newer, index: { from_block: from, to_block: to, complete } };
}

/** The addresses that may hold the token, lower-cased, in order: those after `after`, up to a number. @throws {ApiError} */
export async function addressesOf(
  network: ServedHolders,
  { asset, newer, ...opened }: OpenQuestion,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<readonly string[]> {
  const isAfter = (holder: string): boolean => after === undefined || holder > after;
  if (asset.owner !== undefined) return [asset.owner.toLowerCase()].filter(isAfter);
  const indexed = network.index.holders({ ...touchedIn({ asset, ...opened }), after, limit });
  const found = await fromStore(mergeUpTo(limit, indexed, newer.filter(isAfter)), INDEX_UNAVAILABLE);
  await refuseChanged(network, [opened.track], opened.index.from_block, opened.index.to_block);
  return found;
}

/** The same part by part, each once, in no order. @throws {ApiError} */
export async function* allAddressesOf(
  network: ServedHolders,
  { asset, newer, ...opened }: OpenQuestion,
  limit: number,
): AsyncGenerator<readonly string[]> {
  if (asset.owner !== undefined) {
    yield [asset.owner.toLowerCase()];
    return;
  }
  const isNewer = new Set(newer);
  yield newer;
  try {
    for await (const part of network.index.holders({ ...touchedIn({ asset, ...opened }), limit }))
      yield part.filter((holder) => !isNewer.has(holder));
  } catch (error) {
    if (error instanceof StoreUnavailable) await fromStore(Promise.reject(error), INDEX_UNAVAILABLE);
    throw error;
  }
  await refuseChanged(network, [opened.track], opened.index.from_block, opened.index.to_block);
}

function touchedIn({ asset, block, index, track }: Omit<OpenQuestion, 'newer'>) {
  const upTo = Math.min(index.to_block, block.number);
  return { track, token: asset.token.toLowerCase(), id: asset.id, upTo };
}

/** The blocks that all of some tracks have. @throws {ApiError} where one has none, or they are of another chain */
export async function readIndexed(
  network: ServedHolders,
  tracks: readonly Track[],
  signal: AbortSignal,
): Promise<{ readonly from: number; readonly to: number }> {
  await network.ready();
  let [from, to] = [0, Infinity];
  for (const position of await positionsOf(network.index, tracks)) {
    if (position === null) throw behind('the index has no block yet');
    if (!(await network.chain.has(position, signal)))
      throw behind(`the chain does not have block ${position.number} of the index`);
    from = Math.max(from, position.from);
    to = Math.min(to, position.number);
  }
  return { from, to };
}

/**
 * Refuses what was read of an index that no longer has those blocks: a track was removed meanwhile, and its rows with it.
 * @throws {ApiError} 503
 */
export async function refuseChanged(
  { index }: Pick<ServedHolders, 'index'>,
  tracks: readonly Track[],
  from: number,
  to: number,
): Promise<void> {
  for (const position of await positionsOf(index, tracks))
    if (position === null || position.from > from || position.number < to) throw changed();
}

/** 503: what was read of an index is of two, before and after it was made again. */
export function changed(): ApiError {
  return behind('it was made again while it was read');
}

/** @throws {ApiError} */
function positionsOf(index: HolderIndex, tracks: readonly Track[]): Promise<readonly (Position | null)[]> {
  return fromStore(index.positions(tracks), INDEX_UNAVAILABLE);
}

/** An index ends at the last final block, which is thousands of blocks behind the head where these are quick. */
export function mostAheadOf({ finality }: Pick<Network, 'finality'>): number {
  if (finality === undefined) return AHEAD_UNKNOWN;
  return Math.max(LEAST_AHEAD, 'depth' in finality ? finality.depth : finality.greatestAge);
}

/** Refuses a block that is far beyond the end of an index. @throws {ApiError} 503 */
export function refuseFarAhead(
  { mostAhead }: Pick<ServedHolders, 'mostAhead'>,
  block: PinnedBlock,
  to: number,
): void {
  if (block.number > to + mostAhead) throw behind(`the index ends at block ${to}`);
}

/** 503: the index does not have the block yet. Not logged: no fault of the process, and its metrics say how far it is. */
export function behind(how: string): ApiError {
  const message = `The index of holders does not have this block yet: ${how}.`;
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return new ApiError('index_behind', message, { headers, quiet: true });
}

/** 409: it is not indexed. @param token EIP-55; undefined where no token is */
export function notIndexed(token: string | undefined): ApiError {
  return new ApiError(
    'not_indexed',
    `${token === undefined ? 'holder: the holders of tokens' : `token_address: the holders of ${token}`} are not indexed; the operator of this server can have them indexed (INDEX_TOKENS)`,
  );
}

/** The parameters that name the block, as the balance service takes them. @throws {ApiError} 400 for more than one */
export function whenOf(query: WhenQuery): URLSearchParams {
  refuseSeveralBlocks(query);
  const { block_height: height, date, block_hash: hash } = query;
  const given = Object.entries({
    block_height: height?.toString(),
    date: date === undefined ? undefined : new Date(date * 1_000).toISOString(),
    block_hash: hash,
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
  return new URLSearchParams(given);
}
