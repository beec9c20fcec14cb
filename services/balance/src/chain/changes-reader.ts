/**
 * Reads the changes of a balance. Events name the blocks in which it may have changed; the balance is read at each of
 * them and at the block before. Where it differs between one such block and the next, it has changed without an event:
 * those blocks are halved to find where, within bounds.
 */
import { createHash } from 'node:crypto';
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { TokenFacts } from '@hindsight/chain/tokens/token.ts';
import type { BalanceChange, ChangesQuestion, ChangesReading } from '../domain/changes.ts';
import type { TokenAt } from '../domain/token.ts';
import { findTransfers, netOf, type TransferBlock } from './holder-transfers.ts';
import {
  asRead,
  bounded,
  findEnd,
  isForGood,
  unlessReorganised,
  resolveHolder,
  type RangeDeps,
} from './ranges.ts';
import { isSame, narrow, takeGaps, type Gap, type Look } from './state-gaps.ts';
import { readRowAtBlocks, type BalanceRow } from './row-at-blocks.ts';

export interface ChangesDeps extends RangeDeps {
  readonly logs: LogSearch;
  /** Milliseconds for a request in all. */
  readonly deadlineMs: number;
}

/** Nothing to search. */
const NONE = { blocks: [], through: 0, isCut: false };
/** Parts of a request's time: for the search of logs, and then for that of changes without an event. */
const LOGS_SHARE = 0.4;
const GAPS_SHARE = 0.3;

/** Reads a page of changes. @throws {ApiError} as `History.changes` */
export function readChanges(
  deps: ChangesDeps,
  question: ChangesQuestion,
  signal: AbortSignal,
): Promise<ChangesReading> {
  return unlessReorganised(() => readOnce(deps, question, signal));
}

async function readOnce(
  deps: ChangesDeps,
  question: ChangesQuestion,
  signal: AbortSignal,
): Promise<ChangesReading> {
  const { reader, logs } = deps;
  const { token, limit, cursor } = question;
  const { from, to } = await findEnds(deps, question, signal);
  const { address: holder, offchain } = await resolveHolder(deps, question.holder, to, signal);
  const mark = markOf(question, holder);
  if (cursor !== undefined && cursor.mark !== mark)
    throw badRequest(
      'cursor: it is of another question; expected the same token_address, holder, from and to',
    );
  const deadline = performance.now() + LOGS_SHARE * deps.deadlineMs;
  const search = { token, holder, from: from.number + 1, to, limit, deadline };
  const isEmpty = from.number === to.number;
  const found = isEmpty ? NONE : await findTransfers(logs, search, signal);
  const transfers = found.blocks;
  const through = isEmpty ? to.number : found.through;
  const heights = new Set([from.number, ...transfers.flatMap(({ number }) => [number - 1, number]), through]);
  const look = (at: readonly number[]): Promise<readonly Look[]> =>
    lookAt(deps, { token, holder }, at, signal);
  const looks = await look([...heights].sort((one, other) => one - other));
  refuseOtherChain(looks, transfers, to);
  const held = looks.findLast(({ amount }) => amount !== null && amount > 0n);
  // All pages name the token as the first one does.
  const others = [cursor?.tokenAt, from, held?.block].filter((at) => at !== undefined);
  const facts = await readToken(deps, token, [to, ...others], signal);
  const gapsMs = GAPS_SHARE * deps.deadlineMs;
  const { changes: all, end, isCut } = await findChanges(looks, transfers, look, gapsMs);
  const changes = all
    .slice(0, limit)
    .map((change) => toChange(change, facts, reader.isFinalized(change.high.block)));
  const last = all.length > limit ? all[limit - 1]!.high.block : end;
  const tokenAt = facts.height === to.number ? undefined : facts.height;
  const next = last.number < to.number ? { after: last.number, to: to.hash, mark, tokenAt } : null;
  const isBounded = cursor !== undefined || question.to !== 'latest';
  const lasting = isBounded && !isCut && !found.isCut && !offchain && isForGood(reader, to, true);
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

/**
 * Tells a question from others: the same for all of its pages.
 * @param holder the address, EIP-55: a name may be given for it
 */
function markOf({ token, from, to }: ChangesQuestion, holder: string): string {
  const question = JSON.stringify([token, holder, from, to]);
  return createHash('sha256').update(question).digest('hex').slice(0, 16);
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
  if ((cursor?.tokenAt ?? 0) > end.number) throw badRequest('cursor: expected the next of an earlier answer');
  const begin = cursor ? { height: cursor.after } : from;
  const start = await bounded('from', findEnd(deps, begin, signal));
  if (start.number > end.number)
    throw badRequest('from: it is after to; expected the earlier end', 'invalid_range');
  return { from: start, to: end };
}

/** What the token is at the first of these blocks at which it is one: it may have come and gone between the ends. */
async function readToken(
  { tokens }: ChangesDeps,
  token: string,
  blocks: readonly [Block, ...(Block | number)[]],
  signal: AbortSignal,
): Promise<TokenAt> {
  const [first, ...others] = blocks;
  let read = await tokens.readFacts(first, token, signal);
  for (const at of others) {
    if (isToken(read.facts)) break;
    const other = await tokens.readFacts(at, token, signal);
    // A contract that is no token says more than that there is none.
    if (isToken(other.facts) || read.facts.tokenType === 'none') read = other;
  }
  return { ...read.facts, height: read.block.number };
}

function isToken({ tokenType }: TokenFacts): boolean {
  return tokenType !== 'none' && tokenType !== 'other';
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

/** The changes between looks, ascending. */
interface FoundChanges {
  readonly changes: readonly FoundChange[];
  /** All changes up to here were found. */
  readonly end: Block;
  /** Some could not be searched as far as possible in time. */
  readonly isCut: boolean;
}

async function findChanges(
  looks: readonly Look[],
  transfers: readonly TransferBlock[],
  look: (heights: readonly number[]) => Promise<readonly Look[]>,
  gapsMs: number,
): Promise<FoundChanges> {
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
  const { now, later } = takeGaps(gaps);
  const narrowed = await narrow(now, look, performance.now() + gapsMs);
  changes.push(...narrowed.gaps.map((gap) => ({ ...gap, transfer: undefined })));
  changes.sort((one, other) => one.high.block.number - other.high.block.number);
  const end = (later?.low ?? looks.at(-1)!).block;
  const isBefore = ({ high }: Gap): boolean => high.block.number <= end.number;
  return { changes: changes.filter(isBefore), end, isCut: narrowed.isCut };
}

function toChange(
  { low, high, transfer }: FoundChange,
  { tokenType }: TokenAt,
  isFinalized: boolean,
): BalanceChange {
  const movements = transfer?.movements ?? [];
  return {
    afterBlock: low.block.number,
    block: asRead(high.block, isFinalized),
    cause: transfer ? 'transfer' : 'state',
    transactions: [...(transfer?.transactions ?? [])],
    before: low.amount,
    after: high.amount,
    net: netOf(movements, tokenType === 'erc721' ? 'erc721' : 'erc20'),
  };
}
