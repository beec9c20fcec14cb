/**
 * Searches logs over any range, in as few requests as the node allows: the whole range at first, smaller ones
 * after a refusal. The node's limit is remembered for a while.
 */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { EthereumNode, RpcOptions } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { askHeader, NO_PARENT, type Block } from '../state/block.ts';
import type { KnownBlocks } from '../state/known-blocks.ts';
import { askAgain, type AskAgainOptions } from './ask-again.ts';
import type { BlockRange } from './block-range.ts';
import { FullBlocks } from './full-blocks.ts';
import { LAST_BLOCKS, readAncestors, readLogsByHash } from './last-blocks.ts';
import { hashesOf, readLogs, type Log, type LogFilter } from './log.ts';
import { toRangeTooLarge } from './range-limit.ts';
import { RangeSizer } from './range-sizer.ts';
import { SearchCourse } from './search-course.ts';
import { NotVouched, readVouched, refuseOtherBlocks, type VouchedLogs } from './vouched-logs.ts';

export interface LogPart extends BlockRange {
  readonly logs: readonly Log[];
}

/** The blocks to search: up to one that is known by its hash. */
export interface SearchRange {
  readonly from: number;
  readonly to: Block;
}

interface SearchOptions {
  /** From the last block down; from the first one up if not given. */
  readonly descending?: boolean;
  /** By `performance.now()`; the search ends early then. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

interface LogSearchDeps {
  readonly node: EthereumNode;
  /** Facts about the chain, shared with the readers of its state. */
  readonly known: KnownBlocks;
  readonly clock: Clock;
  /** Milliseconds for one answer. */
  readonly answerMs?: number | undefined;
}

/** A part with what links it to its neighbours. */
interface LinkedPart extends LogPart {
  /** The parent of its first block. */
  readonly parentHash: string;
  /** Of its last block. */
  readonly hash: string;
}

/** Logs that one answer should have: a megabyte or two. */
const EVENTS = 5_000;
/** A node that takes longer gets smaller ranges. */
const ANSWER_MS = 2_500;
/** More blocks than any chain has. */
const ALL_BLOCKS = 2 ** 40;

export class LogSearch {
  readonly #node: EthereumNode;
  readonly #known: KnownBlocks;
  readonly #sizer: RangeSizer;
  readonly #answerMs: number;
  readonly #full = new FullBlocks();

  #first: Block | undefined;

  constructor({ node, known, clock, answerMs = ANSWER_MS }: LogSearchDeps) {
    this.#node = node;
    this.#known = known;
    this.#answerMs = answerMs;
    this.#sizer = new RangeSizer({ first: ALL_BLOCKS, max: ALL_BLOCKS, events: EVENTS }, clock);
  }

  /** The first block that nodes have, and true if it is the chain's. @throws {NodeError} */
  async firstBlock(signal?: AbortSignal): Promise<{ readonly number: number; readonly isChains: boolean }> {
    const first = this.#first ?? (await askHeader(this.#node, 'earliest', { signal }));
    if (!first) throw new NodeError('malformed', `${this.#node.label} has no first block`);
    const isChains = first.parentHash === NO_PARENT;
    // A node that has dropped old blocks reports the oldest that it still has.
    if (isChains) this.#first = first;
    return { number: first.number, isChains };
  }

  /**
   * The logs of any of the filters, part by part, without a gap between the parts; all parts are of the chain
   * that ends in the range's last block. It ends early at the deadline; a descending search also where the
   * nodes' logs begin. A log that fits several filters is given once for each.
   * @throws {NodeError} when no node answers; `unknown-block` when none has the range's last block, or not
   * any longer
   */
  async *search(
    filters: readonly LogFilter[],
    range: SearchRange,
    options: SearchOptions,
  ): AsyncGenerator<LogPart> {
    try {
      yield* this.#searchLinked(filters, range, options);
    } catch (error) {
      if (error instanceof NotVouched) this.#known.forget(range.to);
      throw error;
    }
  }

  async *#searchLinked(
    filters: readonly LogFilter[],
    range: SearchRange,
    options: SearchOptions,
  ): AsyncGenerator<LogPart> {
    const { descending = false, deadline, signal } = options;
    const end = range.to.number;
    // Finalized blocks are deep enough for every node behind a URL to have them.
    const lastFrom = this.#known.isFinalized(range.to) ? end + 1 : end - LAST_BLOCKS + 1;
    const course = new SearchCourse(
      { from: range.from, to: end },
      { lastFrom, descending, sizer: this.#sizer },
    );
    const link = linksTo(range.to, descending);
    const read = (part: BlockRange): Promise<LinkedPart> =>
      course.isLast(part)
        ? this.#readLast(filters, part.from, range.to, options)
        : this.#readPart(filters, part, options);
    for (let parts = course.next(); parts.length > 0 && performance.now() < deadline; parts = course.next()) {
      const readings = await Promise.allSettled(parts.map(read));
      for (const [i, reading] of readings.entries()) {
        if (reading.status === 'rejected') {
          signal?.throwIfAborted();
          if (reading.reason === TIME_IS_UP || !course.refused(parts[i]!, reading.reason)) return;
          break;
        }
        link(reading.value);
        course.answered(reading.value, reading.value.logs.length);
        yield reading.value;
      }
    }
  }

  /**
   * The logs of single blocks, ascending, of which an index says that they have some; part by part, all of one chain. It ends
   * early at the deadline. @throws {NodeError} as `search`
   */
  async *searchBlocks(
    filters: readonly LogFilter[],
    blocks: readonly Block[],
    { deadline, signal }: Omit<SearchOptions, 'descending'>,
  ): AsyncGenerator<LogPart> {
    for (let at = 0; at < blocks.length && performance.now() < deadline; at += BLOCKS_AT_ONCE) {
      const part = blocks.slice(at, at + BLOCKS_AT_ONCE);
      const options = { deadline, signal, timeoutMs: this.#timeoutFor(deadline) };
      try {
        const logs = await withinTime({ deadline, signal }, () => this.#readByHash(filters, part, options));
        yield { from: part[0]!.number, to: part.at(-1)!.number, logs };
      } catch (error) {
        if (error === TIME_IS_UP) return;
        throw error;
      }
    }
  }

  #readPart(
    filters: readonly LogFilter[],
    part: BlockRange,
    { deadline, signal }: SearchOptions,
  ): Promise<LinkedPart> {
    const read = async (): Promise<LinkedPart> => {
      const options = { signal, timeoutMs: this.#timeoutFor(deadline) };
      const ask = (within: RpcOptions): Promise<VouchedLogs> =>
        readVouched(this.#node, filters, part, within);
      const isOne = part.from === part.to;
      const { logs: answers, first, last } = await (isOne ? this.#full.read(ask, options) : ask(options));
      const logs = filters.flatMap((filter, i) => readLogs(this.#node.label, answers[i], filter, part));
      refuseOtherBlocks(this.#node, [first.block, last.block], hashesOf(logs));
      return { ...part, logs, parentHash: first.block.parentHash, hash: last.block.hash };
    };
    return withinTime({ deadline, signal }, () =>
      askAgain({ deadline, signal }, read).catch((error: unknown) => {
        throw error instanceof NodeError ? toRangeTooLarge(error, part) : error;
      }),
    );
  }

  /** The last blocks, which nodes behind a balancer may lack. */
  #readLast(
    filters: readonly LogFilter[],
    from: number,
    end: Block,
    { deadline, signal }: SearchOptions,
  ): Promise<LinkedPart> {
    const node = this.#node;
    return withinTime({ deadline, signal }, async () => {
      const options = { deadline, signal, timeoutMs: this.#timeoutFor(deadline) };
      const blocks = await readAncestors(node, from, end, options);
      const logs = await this.#readByHash(filters, blocks, options);
      return { from, to: end.number, logs, parentHash: blocks[0]!.parentHash, hash: end.hash };
    });
  }

  #timeoutFor(deadline: number): number {
    return Math.max(1, Math.min(this.#answerMs, deadline - performance.now()));
  }

  async #readByHash(
    filters: readonly LogFilter[],
    blocks: readonly Block[],
    options: Parameters<typeof readLogsByHash>[3],
  ): Promise<readonly Log[]> {
    const node = this.#node;
    const answers = await this.#full.read((within) => readLogsByHash(node, filters, blocks, within), options);
    return blocks.flatMap((block, row) => {
      const range = { from: block.number, to: block.number };
      const found = filters.flatMap((filter, i) => readLogs(node.label, answers[row]![i], filter, range));
      refuseOtherBlocks(node, [block], hashesOf(found));
      return found;
    });
  }
}

/** Single blocks of one request. */
const BLOCKS_AT_ONCE = 25;
const TIME_IS_UP = new Error('the time for a search of logs is up');

/** @throws TIME_IS_UP in place of other errors after the deadline */
async function withinTime<T>(options: AskAgainOptions, read: () => Promise<T>): Promise<T> {
  const { deadline, signal } = options;
  try {
    if (performance.now() >= deadline) throw TIME_IS_UP;
    return await read();
  } catch (error) {
    signal?.throwIfAborted();
    if (performance.now() >= deadline) throw TIME_IS_UP;
    throw error;
  }
}

/** Checks that the parts of a search, which come one after another, are of one chain. */
function linksTo(end: Block, descending: boolean): (part: LinkedPart) => void {
  /** Expected in the next part: the hash of its last block, or of its first block's parent. */
  let expected = descending ? end.hash : undefined;
  /** @throws {NotVouched} */
  return ({ from, to, hash, parentHash }) => {
    const [linked, next] = descending ? [hash, parentHash] : [parentHash, hash];
    const isEnd = to < end.number || hash === end.hash;
    if (linked !== (expected ?? linked) || !isEnd)
      throw new NotVouched(`blocks ${from} to ${to} are not of the chain that ends in ${end.hash}`);
    expected = next;
  };
}
