/**
 * Shared by readings between two blocks: their ends, their holder, and a second attempt after a
 * reorganisation.
 */
import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import type { DateSearch } from '@hindsight/chain/dates/date-search.ts';
import type { Names, ResolvedName } from '@hindsight/chain/ens/name-resolver.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block, BlockQuery } from '@hindsight/chain/state/block.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { nameMoved, nowhere, type AccountRef, type HolderAt } from '../domain/account.ts';
import type { ReadBlock, When } from '../domain/pinned.ts';
import type { Bound } from '../domain/series.ts';
import { noSuchBlock, publicly } from './public-error.ts';
import { latestMeaning, namesAtOf, resolveName } from './resolve-name.ts';
import type { TokenReader } from './token-reader.ts';

export interface RangeDeps {
  readonly reader: ChainReader;
  readonly tokens: TokenReader;
  readonly dates: DateSearch;
  readonly names: Names;
}

/**
 * Runs a reading of several requests about one block; a second time if that block was reorganised away during
 * it.
 * @param field the parameter that may be a name
 * @throws {ApiError} as `History.series`
 */
export async function unlessReorganised<T>(read: () => Promise<T>, field = 'holder'): Promise<T> {
  const reading = read().catch((error: unknown) => {
    if (error instanceof NodeError && error.kind === 'unknown-block') return read();
    throw error;
  });
  return publicly(reading, field);
}

export function findEnd(
  { reader, dates }: RangeDeps,
  bound: Bound | 'latest',
  signal: AbortSignal,
): Promise<Block> {
  if (bound === 'latest') return reader.findBlock(bound, signal);
  return 'height' in bound ? reader.findBlock(bound.height, signal) : dates.findBlockAt(bound.date, signal);
}

/**
 * Finds the block of a question, as far as it must be known before any other request.
 * @throws {ApiError} as `History.read`
 */
export async function locate(
  { reader, dates }: Pick<RangeDeps, 'reader' | 'dates'>,
  when: When,
  signal: AbortSignal,
): Promise<BlockQuery | Block> {
  if (when === 'latest') return when;
  if ('height' in when) return when.height;
  return publicly(
    'hash' in when ? reader.findBlockByHash(when.hash, signal) : dates.findBlockAt(when.date, signal),
  );
}

/** Names the end that there is no block for. @throws {ApiError} 404, or 400 before the first block that is answered */
export async function bounded<T>(field: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw noSuchBlock(error, field) ?? error;
  }
}

/** Heights of a range at which a name is looked up, its ends among them. */
const NAME_LOOKS = 8;

/** The address of a holder over a range; `lasting` if the name will always have meant it. */
export type ResolvedHolder = HolderAt & { readonly lasting: boolean };

/**
 * Resolves a holder at the end of a range. A name that meant another address within it would make two wallets look like one:
 * it is looked up at a few heights before, too.
 * @throws {ApiError} 404 for a name without an address; 409 for one that meant another
 */
export async function resolveHolder(
  { names }: RangeDeps,
  holder: AccountRef,
  { from, to }: { readonly from: Block; readonly to: Block },
  signal: AbortSignal,
  { field = 'holder', orEach = false } = {},
): Promise<ResolvedHolder> {
  if ('address' in holder) return { address: holder.address, resolvedAt: null, lasting: true };
  const asked = { field, name: holder.name };
  const { name, address, offchain, namesAt, lasting } = await resolveName(names, asked, to, signal);
  // A gateway answers for now, whatever the block is.
  const heights = offchain
    ? []
    : evenly(from.number, to.number, NAME_LOOKS).filter((height) => height < to.number);
  const earlier = await Promise.all(heights.map((height) => names.resolve(holder.name, height, signal)));
  const other = earlier.findLast((one) => one.address !== null && one.address !== address);
  if (other) {
    const before = { address: other.address!, block: other.block.number };
    throw nameMoved({ field, name, orEach }, { address, block: to.number }, before);
  }
  return { address, resolvedAt: { number: to.number, hash: to.hash }, namesAt, lasting };
}

/** Blocks at which a name may be resolved for one question: each is a call of its own. */
const MOST_RESOLVED = 100;

/** The addresses that a name meant at blocks of a range. */
interface ResolvedEach {
  /** EIP-55, by block hash; missing where it had no address. */
  readonly addresses: ReadonlyMap<string, string>;
  /** At the last of the blocks at which it had one. */
  readonly last: ResolvedHolder;
}

/**
 * Resolves a name at each of the blocks, which are ascending.
 * @throws {ApiError} 400 for too many blocks; 404 where it had no address at any; 422 for an off-chain name
 */
export async function resolveEach(
  deps: RangeDeps,
  name: string,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<ResolvedEach> {
  if (blocks.length > MOST_RESOLVED)
    throw badRequest(
      `resolve: each of ${blocks.length} blocks; expected at most ${MOST_RESOLVED} points where a name is resolved at each`,
      'invalid_range',
    );
  const found = await resolveAll(deps, name, blocks, signal);
  const known = found.flatMap(({ address, block }) =>
    address === null ? [] : [[block.hash, address] as const],
  );
  return { addresses: new Map(known), last: await lastAddress(deps, found, blocks.at(-1)!, signal) };
}

/** Resolves a name at each of the blocks. @throws {ApiError} 422 for an off-chain name, of which only the current address is known */
export async function resolveAll(
  { names }: RangeDeps,
  name: string,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<readonly ResolvedName[]> {
  const found = await Promise.all(blocks.map((block) => names.resolve(name, block, signal)));
  const offchain = found.find((one) => one.offchain);
  if (offchain)
    throw new ApiError(
      'name_off_chain',
      `holder: the name ${offchain.name} is kept off-chain, where what it meant at an earlier block is not known`,
    );
  return found;
}

/** The last address of a name. @param found ascending @throws {ApiError} 404 where it had none */
export async function lastAddress(
  { names }: RangeDeps,
  found: readonly ResolvedName[],
  to: Block,
  signal: AbortSignal,
): Promise<ResolvedHolder> {
  const last = found.findLast(({ address }) => address !== null);
  if (last?.address === undefined || last.address === null) {
    const { name } = found[0]!;
    throw nowhere({ field: 'holder', name }, to.number, { later: await latestMeaning(names, name, signal) });
  }
  const { number, hash } = last.block;
  const lasting = found.every(({ registered }) => registered?.lasting ?? true);
  return { address: last.address, resolvedAt: { number, hash }, namesAt: namesAtOf(last), lasting };
}

/** Heights from the first to the last, evenly, each once. */
export function evenly(first: number, last: number, looks: number): readonly number[] {
  const parts = looks - 1;
  return [
    ...new Set(Array.from({ length: looks }, (_, i) => first + Math.floor(((last - first) * i) / parts))),
  ];
}

/** Splits many into some of them, evenly, the first and the last among them, and the others. */
export function someOf<T>(
  all: readonly T[],
  most: number,
): { readonly some: readonly T[]; readonly others: readonly T[] } {
  if (all.length <= most) return { some: all, others: [] };
  const places = new Set(evenly(0, all.length - 1, most));
  const part = (isSome: boolean): readonly T[] => all.filter((_one, at) => places.has(at) === isSome);
  return { some: part(true), others: part(false) };
}

/** True if a block is final for good. That of a moment is once the block after it is, which ends the moment. */
export function isForGood(reader: ChainReader, block: Block, ofMoment: boolean): boolean {
  return reader.isFinalized(ofMoment ? { ...block, number: block.number + 1 } : block);
}

/** Each block once, in their order: points close together share one. */
export function distinctBlocks(blocks: readonly Block[]): readonly Block[] {
  return [...new Map(blocks.map((block) => [block.hash, block])).values()];
}

export function asRead(reader: ChainReader, block: Block): ReadBlock {
  const { number, hash, timestamp } = block;
  return { number, hash, timestamp, finalized: reader.isFinalized(block) };
}
