/**
 * Searches logs over any range, in as few requests as the node allows: the whole range at first, smaller ones where it
 * refuses. What it allows is remembered.
 */
import { numberToQuantity } from '../rpc/hex.ts';
import { resultOf, type EthereumNode } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import type { Block } from '../state/block.ts';
import { readHeaders } from '../state/headers.ts';
import type { BlockRange } from './block-range.ts';
import { readLogs, type Log, type LogFilter } from './log.ts';
import { toRangeTooLarge } from './range-limit.ts';
import { RangeSizer } from './range-sizer.ts';
import { readInParts } from './read-in-parts.ts';

/** The logs of consecutive blocks. */
export interface LogPart extends BlockRange {
  readonly logs: readonly Log[];
  /** How many logs these are. */
  readonly count: number;
}

interface SearchOptions {
  /** From the last block down; from the first one up if not given. */
  readonly descending?: boolean;
  /** By `performance.now()`; the search ends early then. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** Ranges that are read at the same time, where a node refuses large ones. */
const IN_FLIGHT = 4;
/** Logs that one answer should have: a megabyte or two. */
const EVENTS = 5_000;
/** For one answer: a node that takes longer is asked for less. */
const ANSWER_MS = 2_500;
const NO_PARENT = `0x${'0'.repeat(64)}`;
/** More blocks than any chain has. */
const ALL_BLOCKS = 2 ** 40;

/** Searches at the nodes of one network. */
export class LogSearch {
  readonly #node: EthereumNode;
  readonly #sizer = new RangeSizer({ first: ALL_BLOCKS, max: ALL_BLOCKS, events: EVENTS });

  #first: Block | undefined;

  constructor(node: EthereumNode) {
    this.#node = node;
  }

  /** The first block that nodes have, and whether it is the chain's. @throws {NodeError} */
  async firstBlock(signal?: AbortSignal): Promise<{ readonly number: number; readonly isChains: boolean }> {
    const [first] = this.#first ? [this.#first] : await readHeaders(this.#node, ['earliest'], signal);
    if (!first) throw new NodeError('malformed', `${this.#node.label} has no first block`);
    const isChains = first.parentHash === NO_PARENT;
    // A node that has dropped old blocks names the oldest that it still has.
    if (isChains) this.#first = first;
    return { number: first.number, isChains };
  }

  /**
   * The logs of any of the filters, part by part, without a gap between the parts. It ends early at the deadline; a
   * descending search also where the nodes' logs begin. A log that fits several filters is given once for each.
   * @throws {NodeError} when no node answers
   */
  async *search(
    filters: readonly LogFilter[],
    range: BlockRange,
    options: SearchOptions,
  ): AsyncGenerator<LogPart> {
    const { descending = false, deadline, signal } = options;
    let { from, to } = range;
    let most = Infinity;
    while (from <= to && performance.now() < deadline) {
      const parts = takeParts({ from, to }, Math.min(this.#sizer.size, most), descending);
      const read = (part: BlockRange): Promise<readonly LogPart[]> => this.#readPart(filters, part, options);
      const readings = await Promise.allSettled(parts.map(read));
      for (const [i, reading] of readings.entries()) {
        const part = parts[i]!;
        if (reading.status === 'fulfilled') {
          yield* descending ? reading.value.toReversed() : reading.value;
          [from, to] = descending ? [from, part.from - 1] : [part.to + 1, to];
          continue;
        }
        signal?.throwIfAborted();
        if (reading.reason === TIME_IS_UP) return;
        if (!descending || !isMissing(reading.reason)) throw reading.reason;
        // Somewhere in this part the nodes' logs begin: it is halved down to there.
        if (part.from === part.to) return;
        most = Math.ceil((part.to - part.from + 1) / 2);
        break;
      }
    }
  }

  #readPart(
    filters: readonly LogFilter[],
    range: BlockRange,
    { deadline, signal }: SearchOptions,
  ): Promise<readonly LogPart[]> {
    const { label } = this.#node;
    return readInParts(range, this.#sizer, async (part) => {
      const left = deadline - performance.now();
      if (left <= 0) throw TIME_IS_UP;
      const calls = filters.map((filter) => ({ method: 'eth_getLogs', params: [toParams(filter, part)] }));
      try {
        const timeoutMs = Math.max(1, Math.min(ANSWER_MS, left));
        const outcomes = await this.#node.send(calls, { signal, timeoutMs });
        const logs = filters.flatMap((filter, i) => readLogs(label, resultOf(outcomes[i]), filter, part));
        return { ...part, logs, count: logs.length };
      } catch (error) {
        signal?.throwIfAborted();
        if (performance.now() >= deadline) throw TIME_IS_UP;
        throw error instanceof NodeError ? toRangeTooLarge(error, part) : error;
      }
    });
  }
}

const TIME_IS_UP = new Error('the time for a search of logs is up');

function isMissing(error: unknown): boolean {
  return error instanceof NodeError && (error.kind === 'missing-state' || error.kind === 'unknown-block');
}

/** The next parts of a range, in the order of the search. */
function takeParts({ from, to }: BlockRange, size: number, descending: boolean): BlockRange[] {
  const parts: BlockRange[] = [];
  while (from <= to && parts.length < IN_FLIGHT) {
    const part = descending
      ? { from: Math.max(from, to - size + 1), to }
      : { from, to: Math.min(to, from + size - 1) };
    parts.push(part);
    if (descending) to = part.from - 1;
    else from = part.to + 1;
  }
  return parts;
}

function toParams({ address, topics }: LogFilter, { from, to }: BlockRange): unknown {
  const range = { fromBlock: numberToQuantity(from), toBlock: numberToQuantity(to) };
  return { ...(address === undefined ? {} : { address }), ...range, topics };
}
