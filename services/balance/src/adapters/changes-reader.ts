/**
 * Reads the changes of a balance. Events name the blocks in which it may have changed; the balance is read at each of
 * them and at the block before. Where it differs between one such block and the next, it has changed without an event:
 * those blocks are halved to find where, within bounds.
 */
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { BalanceChange, ChangesQuestion, ChangesReading } from '../domain/changes.ts';
import type { TokenReading } from '../domain/token.ts';
import { findTransfers, type TransferBlock } from './holder-transfers.ts';
import { asRead, bounded, findEnd, readRange, resolveHolder, type RangeDeps } from './ranges.ts';
import { readRowAtBlocks, type BalanceRow } from './row-at-blocks.ts';

export interface ChangesDeps extends RangeDeps {
  readonly logs: LogSearch;
}

/** A block and the balance there; null where the token has none. */
interface Look {
  readonly block: Block;
  readonly amount: bigint | null;
}

/** Two looks with different balances, and no event between them. */
interface Gap {
  readonly low: Look;
  readonly high: Look;
}

/** Nothing to search. */
const NONE = { blocks: [], through: 0, isCut: false };
/** For the search of logs, and then for that of changes without an event. */
const LOGS_MS = 4_000;
const GAPS_MS = 3_000;
/** Looks for changes without an event, on a page. */
const MAX_LOOKS = 400;

/** Reads a page of changes. @throws {ApiError} as `History.changes` */
export function readChanges(
  deps: ChangesDeps,
  question: ChangesQuestion,
  signal: AbortSignal,
): Promise<ChangesReading> {
  return readRange(() => readOnce(deps, question, signal));
}

async function readOnce(
  deps: ChangesDeps,
  question: ChangesQuestion,
  signal: AbortSignal,
): Promise<ChangesReading> {
  const { reader, logs } = deps;
  const { token, limit } = question;
  const { from, to } = await findEnds(deps, question, signal);
  const { address: holder, offchain } = await resolveHolder(deps, question.holder, to, signal);
  const facts = await readToken(deps, token, { from, to }, signal);
  const deadline = performance.now() + LOGS_MS;
  const search = { token, holder, from: from.number + 1, to: to.number, limit, deadline };
  const isEmpty = from.number === to.number;
  const found = isEmpty ? NONE : await findTransfers(logs, search, signal);
  const transfers = found.blocks;
  const through = isEmpty ? to.number : found.through;
  const heights = new Set([from.number, ...transfers.flatMap(({ number }) => [number - 1, number]), through]);
  const look = (at: readonly number[]): Promise<readonly Look[]> =>
    lookAt(deps, { token, holder }, at, signal);
  const looks = await look([...heights].sort((one, other) => one - other));
  refuseOtherChain(looks, transfers, to);
  const { changes: all, isCut } = await findChanges(looks, transfers, look);
  const changes = all
    .slice(0, limit)
    .map((change) => toChange(change, reader.isFinalized(change.high.block)));
  const last = all.length > limit ? all[limit - 1]!.high.block : looks.at(-1)!.block;
  const next = last.number < to.number ? { after: last.number, to: to.hash } : null;
  const isBounded = question.cursor !== undefined || question.to !== 'latest';
  const decisive = { ...to, number: to.number + 1 };
  const lasting = isBounded && !isCut && !found.isCut && !offchain && reader.isFinalized(decisive);
  const read = (block: Block): ReturnType<typeof asRead> => asRead(block, reader.isFinalized(block));
  return {
    holder,
    token: facts,
    to: read(to),
    from: read(from),
    through: read(last),
    changes,
    next,
    lasting,
  };
}

async function findEnds(
  deps: ChangesDeps,
  { from, to, cursor }: ChangesQuestion,
  signal: AbortSignal,
): Promise<{ from: Block; to: Block }> {
  const { reader } = deps;
  const end = cursor
    ? await reader.findBlockByHash(cursor.to, signal)
    : await bounded('to', findEnd(deps, to, signal));
  const begin = cursor ? { height: cursor.after } : from;
  const start = await bounded('from', findEnd(deps, begin, signal));
  if (start.number > end.number)
    throw badRequest('from: it is after to; expected the earlier end', 'invalid_range');
  return { from: start, to: end };
}

/** What the token is at the end, or was at the beginning if it is no contract any more. */
async function readToken(
  { tokens, reader }: ChangesDeps,
  token: string,
  { from, to }: { readonly from: Block; readonly to: Block },
  signal: AbortSignal,
): Promise<TokenReading> {
  let at = to;
  let { facts } = await tokens.readFacts(to, token, signal);
  if (facts?.type === 'none') {
    ({ facts } = await tokens.readFacts(from, token, signal));
    at = from;
  }
  const none = { type: 'none', name: '', symbol: '', decimals: null, tooCostly: false } as const;
  const { type: tokenType, name, symbol, decimals, tooCostly = false } = facts ?? none;
  const block = asRead(at, reader.isFinalized(at));
  return { block, lasting: false, token, tokenType, name, symbol, decimals, value: undefined, tooCostly };
}

async function lookAt(
  { reader }: ChangesDeps,
  row: BalanceRow,
  heights: readonly number[],
  signal: AbortSignal,
): Promise<readonly Look[]> {
  const blocks = await reader.findBlocks(heights, signal);
  const { amounts } = await readRowAtBlocks(reader, row, blocks, signal);
  return blocks.map((block) => {
    const amount = amounts.get(block.hash);
    // Before its contract a token has no holders.
    if (amount === 'no-contract') return { block, amount: 0n };
    return { block, amount: typeof amount === 'bigint' ? amount : null };
  });
}

/** @throws {NodeError} where logs, looks and the end are not of one chain */
function refuseOtherChain(looks: readonly Look[], transfers: readonly TransferBlock[], to: Block): void {
  const hashes = new Map(looks.map(({ block }) => [block.number, block.hash]));
  const named = [...transfers, ...(hashes.has(to.number) ? [to] : [])];
  const other = named.find(({ number, hash }) => hashes.get(number) !== hash);
  if (other) throw new NodeError('unknown-block', `block ${other.number} was reorganised away`);
}

interface FoundChange extends Gap {
  /** The events of the later block; undefined where none explains the change. */
  readonly transfer: TransferBlock | undefined;
}

/** The changes between looks, ascending, and whether some could not be searched as far as possible in time. */
async function findChanges(
  looks: readonly Look[],
  transfers: readonly TransferBlock[],
  look: (heights: readonly number[]) => Promise<readonly Look[]>,
): Promise<{ changes: readonly FoundChange[]; isCut: boolean }> {
  const byNumber = new Map(transfers.map((transfer) => [transfer.number, transfer]));
  const changes: FoundChange[] = [];
  const gaps: Gap[] = [];
  for (const [i, high] of looks.entries()) {
    const low = looks[i - 1];
    if (low === undefined || isSame(low, high)) continue;
    const transfer = byNumber.get(high.block.number);
    if (transfer) changes.push({ low, high, transfer });
    else gaps.push({ low, high });
  }
  const narrowed = await narrow(gaps, look);
  changes.push(...narrowed.gaps.map((gap) => ({ ...gap, transfer: undefined })));
  changes.sort((one, other) => one.high.block.number - other.high.block.number);
  return { changes, isCut: narrowed.isCut };
}

/** Halves gaps, all of them in turn, until each is a block wide or the bounds are reached. */
async function narrow(
  gaps: readonly Gap[],
  look: (heights: readonly number[]) => Promise<readonly Look[]>,
): Promise<{ gaps: readonly Gap[]; isCut: boolean }> {
  const deadline = performance.now() + GAPS_MS;
  const done: Gap[] = gaps.filter(isNarrow);
  let open = gaps.filter((gap) => !isNarrow(gap));
  let left = MAX_LOOKS;
  while (open.length > 0 && left > 0) {
    if (performance.now() > deadline) return { gaps: [...done, ...open], isCut: true };
    const halved = open.slice(0, left);
    const middles = await look(
      halved.map(({ low, high }) => Math.floor((low.block.number + high.block.number) / 2)),
    );
    const halves = halved.flatMap(({ low, high }, i) => {
      const middle = middles[i]!;
      return [
        { low, high: middle },
        { low: middle, high },
      ].filter((gap) => !isSame(gap.low, gap.high));
    });
    left -= halved.length;
    done.push(...halves.filter(isNarrow));
    open = [...open.slice(halved.length), ...halves.filter((gap) => !isNarrow(gap))];
  }
  return { gaps: [...done, ...open], isCut: false };
}

function isNarrow({ low, high }: Gap): boolean {
  return high.block.number - low.block.number === 1;
}

/** A balance that cannot be read is none: the token had no implementation yet, say. */
function isSame(one: Look, other: Look): boolean {
  return (one.amount ?? 0n) === (other.amount ?? 0n);
}

function toChange({ low, high, transfer }: FoundChange, isFinalized: boolean): BalanceChange {
  return {
    afterBlock: low.block.number,
    block: asRead(high.block, isFinalized),
    cause: transfer ? 'transfer' : 'state',
    transactions: [...(transfer?.transactions ?? [])],
    before: low.amount,
    after: high.amount,
    net: transfer?.net ?? 0n,
  };
}
