/** A question about transfers: its range, and the blocks that the index and the nodes name. */
import { MAX_NAME_LENGTH } from '@hindsight/chain/ens/name.ts';
import type { readAccount } from '@hindsight/chain/params.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { ErrorCode } from '@hindsight/kernel/error-codes.ts';
import { ApiError, badRequest, unavailable } from '@hindsight/kernel/errors.ts';
import { markOf } from '@hindsight/kernel/mark.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type { TransferCursor } from '../domain/transfer-cursor.ts';
import type { TransferPage } from './records.ts';
import { isAfterBlock } from './transfer-pages.ts';
import type { BlocksQuestion, PinnedBlock, TouchedBlock } from '../ports.ts';
import {
  INDEX_UNAVAILABLE,
  notIndexed,
  readIndexed,
  refuseChanged,
  refuseFarAhead,
  trackOf,
  type ServedHolders,
} from './indexed-question.ts';

/** Errors about a moment before all blocks that are answered. */
const NONE_BEFORE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'no_block_at_date',
  'invalid_parameter',
  'block_unavailable',
  'state_unavailable',
]);

/** An end of the range as it is given. */
export type Bound =
  | { readonly height: number }
  /** Unix seconds; true if the moment is a fraction of a second after them. */
  | { readonly date: number; readonly fraction?: true };

export interface AskedTransfers {
  /** EIP-55. */
  readonly token: string | undefined;
  readonly holder: ReturnType<typeof readAccount> | undefined;
  readonly from: Bound | undefined;
  readonly to: Bound | undefined;
  readonly order: TransferPage['order'];
  readonly cursor: TransferCursor | undefined;
}

export interface TransferRange {
  /** EIP-55. */
  readonly holder: string | null;
  readonly namesAt: TransferPage['names_resolved_at'];
  readonly from: number;
  readonly to: PinnedBlock;
  readonly index: TransferPage['index'];
  readonly tracks: readonly Track[];
  readonly mark: string;
}

/** Finds the range of a question. @throws {ApiError} */
export async function openRange(
  network: ServedHolders,
  { token, holder, from, to, order, cursor }: AskedTransfers,
  signal: AbortSignal,
): Promise<TransferRange> {
  refuseLongName(holder);
  const tracks = await tracksOf(network, token);
  const indexed = await readIndexed(network, tracks, signal);
  const end = cursor
    ? await network.balances.block(new URLSearchParams({ block_hash: cursor.to }), signal)
    : await network.balances
        .block(to === undefined ? new URLSearchParams() : toWhen(to), signal)
        .catch(namingEnd('to'));
  const start = from === undefined ? indexed.from : await firstOf(network, from, end, signal);
  if (start > end.number) throw badRequest('from: it is after to; expected the earlier end', 'invalid_range');
  if (start < indexed.from)
    throw new ApiError(
      'not_indexed',
      `from: the transfers are indexed from block ${indexed.from} on, not from block ${start}; ` +
        'the operator of this server can have them indexed from an earlier block (INDEX_FROM)',
    );
  refuseFarAhead(network, end, indexed.to);
  const account = holder === undefined ? undefined : await accountOf(network, holder, end, signal);
  const address = account?.holder ?? null;
  const tokens = token !== undefined || tracks.includes(ALL_TOKENS) ? null : [...tracks];
  // The part of the index belongs to it: pages of two indexes would have a hole between them.
  const mark = markOf([token, address, from ?? start, to, order, tokens?.toSorted()]);
  if (cursor !== undefined && cursor.mark !== mark)
    throw badRequest(
      'cursor: expected the next of an earlier answer to the same question; where the index has changed since, begin again without one',
    );
  const complete =
    token === undefined
      ? tracks.includes(ALL_TOKENS) && (await isWhole(network, indexed.from, signal))
      : await network.balances.didNotExist(token, indexed.from, signal);
  return {
    holder: address,
    namesAt: account?.names_resolved_at,
    from: start,
    to: end,
    index: { from_block: indexed.from, to_block: indexed.to, complete, tokens },
    tracks,
    mark,
  };
}

/** The first blocks of a page, in its order. @throws {ApiError} */
export async function blocksOf(
  network: ServedHolders,
  { token, order, cursor }: AskedTransfers,
  { holder, from, to, index, tracks }: TransferRange,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<readonly TouchedBlock[]> {
  const newest = order === 'newest';
  const [first, last] = rangeLeft(cursor, newest, [from, to.number]);
  const asked = {
    tokens: token === undefined ? index.tokens : [token.toLowerCase()],
    holder: holder?.toLowerCase(),
  };
  const recent =
    last > index.to_block
      ? (await network.recent.blocks(asked, Math.max(first, index.to_block + 1), to, signal)).filter(
          ({ number }) => number <= last,
        )
      : [];
  const question: BlocksQuestion = {
    ...asked,
    from: first,
    to: Math.min(last, index.to_block),
    newest,
    limit: most,
  };
  const isSearched = question.from <= question.to && !(newest && recent.length >= most);
  const old = isSearched ? await fromStore(network.index.blocks(question), INDEX_UNAVAILABLE) : [];
  if (isSearched) await refuseChanged(network, tracks, index.from_block, index.to_block);
  const all = newest ? [...recent.toReversed(), ...old] : [...old, ...recent];
  return all.slice(0, most);
}

function rangeLeft(
  cursor: TransferCursor | undefined,
  newest: boolean,
  [from, to]: readonly [number, number],
): readonly [number, number] {
  if (cursor === undefined) return [from, to];
  const rest = isAfterBlock(cursor, newest) ? 1 : 0;
  return newest ? [from, Math.min(to, cursor.block - rest)] : [Math.max(from, cursor.block + rest), to];
}

async function tracksOf(network: ServedHolders, token: string | undefined): Promise<readonly Track[]> {
  if (token !== undefined) return [await trackOf(network, token)];
  const { tracks } = network;
  if (tracks.length === 0) throw notIndexed(token);
  // The track of all tokens has what the others have; one that was added beside it may be far behind.
  return tracks.includes(ALL_TOKENS) ? [ALL_TOKENS] : tracks;
}

/** True if no block of the chain is before an index that begins there. @throws {NodeError} */
export async function isWhole(
  network: Pick<ServedHolders, 'firstBlock'>,
  from: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { number, isChains } = await network.firstBlock(signal);
  return isChains && from <= number;
}

/** The parameters of a bound's block: the last one at or before a date. */
export function toWhen(bound: Bound): URLSearchParams {
  if ('height' in bound) return new URLSearchParams({ block_height: String(bound.height) });
  return new URLSearchParams({ date: new Date(bound.date * 1_000).toISOString() });
}

/** The first block of a range: that of a height, or the first one at a date or after. @param end the last block of the range */
export async function firstOf(
  network: Pick<ServedHolders, 'balances' | 'firstBlock'>,
  bound: Bound,
  end: PinnedBlock,
  signal: AbortSignal,
): Promise<number> {
  if ('height' in bound) return bound.height;
  let last: PinnedBlock;
  try {
    last = await network.balances.block(toWhen(bound), signal);
  } catch (error) {
    // No block is as old: the chain begins later, with the first one that is meant.
    const isOlder =
      error instanceof ApiError && error.code === 'no_block_at_date' && bound.date < end.timestamp;
    const first = isOlder ? await network.firstBlock(signal).catch(notNamed) : undefined;
    return first?.isChains ? first.number : namingEnd('from')(error);
  }
  if (last.timestamp < bound.date || bound.fraction) return last.number + 1;
  return firstOfSecond(network, last, signal);
}

/** The first block of a second: chains with several blocks a second give them one time. @param last the last one of it */
async function firstOfSecond(
  { balances }: Pick<ServedHolders, 'balances'>,
  { number, timestamp }: PinnedBlock,
  signal: AbortSignal,
): Promise<number> {
  try {
    return (await balances.block(toWhen({ date: timestamp - 1 }), signal)).number + 1;
  } catch (error) {
    // It is the first block, or the oldest that nodes have.
    if (error instanceof ApiError && NONE_BEFORE.has(error.code)) return number;
    throw error;
  }
}

/** Turns the error of nodes that do not say where the chain begins into a 503. @throws {ApiError} */
function notNamed(error: unknown): never {
  if (!(error instanceof NodeError)) throw error;
  const message = 'No Ethereum node names the first block of the chain at the moment.';
  throw unavailable('node_unavailable', message, { cause: error });
}

/** Renames the parameter in an error about the block of an end: the balance service calls it by another name than our callers. */
export function namingEnd(name: 'from' | 'to'): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, cause, headers, quiet } = error;
    const renamed = message.replace(/^(?:block_height|date): /, `${name}: `);
    throw new ApiError(code, renamed, { cause, headers, quiet });
  };
}

interface Account {
  readonly holder: string;
  readonly names_resolved_at?: TransferPage['names_resolved_at'];
}

/** Before any other work. Everything else about a name is for the balance service to say. */
function refuseLongName(holder: AskedTransfers['holder']): void {
  if (holder === undefined || !('name' in holder) || holder.name.length <= MAX_NAME_LENGTH) return;
  const message = `holder: it has more than ${MAX_NAME_LENGTH} characters; expected an address, or an ENS name`;
  throw badRequest(message, 'invalid_name');
}

async function accountOf(
  network: ServedHolders,
  holder: ReturnType<typeof readAccount>,
  { hash }: PinnedBlock,
  signal: AbortSignal,
): Promise<Account> {
  if ('address' in holder) return { holder: holder.address };
  // The balance service resolves names; its answer has the address.
  const asked = { holder: 'name' in holder ? holder.name : '', block_hash: hash };
  return (await network.balances.record('balance/native', asked, signal)) as Account;
}
