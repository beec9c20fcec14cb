/** Parses `eth_getLogs` and headers, and refuses answers that contradict the question. */
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import type { RangeEnd } from '@hindsight/chain/logs/vouched-logs.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { dataToBytes, parseHash, quantityToNumber } from '@hindsight/chain/rpc/hex.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { LogBlock, LogReduction, RawLog } from './range-reading.ts';

/** Result of a range, and its blocks with events. */
export interface ReadLogs<Found> {
  readonly count: number;
  readonly found: Found;
  /** The hash that the events of a block name, for each block with events. */
  readonly hashes: ReadonlyMap<number, string>;
}

/** A header with its bloom. */
export interface Header extends Block {
  readonly bloom: Buffer;
}

/** Reads the answer to `eth_getLogs`. @throws {NodeError} `malformed` */
export function readLogs<Found>(
  label: string,
  answer: unknown,
  range: BlockRange,
  reduction: LogReduction<Found>,
): ReadLogs<Found> {
  if (!Array.isArray(answer)) throw new NodeError('malformed', `${label} returned malformed logs`);
  const { found, take } = reduction.start();
  const positions = new Positions(range, reduction);
  try {
    for (const entry of answer as Readonly<Record<string, unknown>>[]) {
      const block = positions.read(entry);
      take(entry as unknown as RawLog, block);
    }
  } catch (cause) {
    throw new NodeError('malformed', `${label} returned logs that do not match the request`, { cause });
  }
  return { count: answer.length, found, hashes: positions.hashes };
}

/** The events that are meant. */
type EventFilter = Pick<LogReduction<unknown>, 'topics' | 'address'>;

function isOf(wanted: string | undefined, address: unknown): boolean {
  return wanted === undefined || String(address).toLowerCase() === wanted;
}

/** The previous log as the node wrote it. Hundreds in a row share a block, and comparing is faster than parsing. */
interface Written {
  readonly number: unknown;
  readonly hash: unknown;
  readonly block: LogBlock;
}

class Positions {
  readonly #range: BlockRange;
  readonly #topics: ReadonlySet<unknown>;
  readonly #address: string | undefined;
  readonly hashes = new Map<number, string>();
  #last: Written | undefined;

  constructor(range: BlockRange, { topics, address }: EventFilter) {
    this.#range = range;
    this.#topics = new Set(topics);
    this.#address = address;
  }

  /** @throws {TypeError} for a log that was not requested */
  read(entry: Readonly<Record<string, unknown>>): LogBlock {
    const { topics, removed, blockNumber, blockHash } = entry;
    const isOther =
      !Array.isArray(topics) || !this.#topics.has(topics[0]) || !isOf(this.#address, entry.address);
    if (removed === true || isOther) throw new TypeError('a log that was not requested');
    if (blockNumber === this.#last?.number && blockHash === this.#last?.hash) return this.#last!.block;
    const block = this.#parse(blockNumber, blockHash);
    this.#last = { number: blockNumber, hash: blockHash, block };
    return block;
  }

  #parse(blockNumber: unknown, blockHash: unknown): LogBlock {
    const number = quantityToNumber(blockNumber);
    const hash = parseHash(blockHash);
    if (number < this.#range.from || number > this.#range.to) throw new TypeError('a log of another block');
    if ((this.hashes.get(number) ?? hash) !== hash) throw new TypeError('two blocks of one height');
    this.hashes.set(number, hash);
    return { number, hash };
  }
}

/** Reads the bloom of a header. @throws {NodeError} `malformed` */
export function readHeader(label: string, { block, answer }: RangeEnd): Header {
  try {
    return { ...block, bloom: dataToBytes((answer as { logsBloom?: unknown }).logsBloom) };
  } catch (cause) {
    throw new NodeError('malformed', `${label} returned a header without a bloom`, { cause });
  }
}

/** True if the receipts of a block have one of the events. @throws {NodeError} if they are not available */
export function hasEvents(label: string, answer: unknown, { topics, address }: EventFilter): boolean {
  if (!Array.isArray(answer)) throw new NodeError('missing-state', `${label} has no receipts of the block`);
  return (answer as { logs?: { address?: unknown; topics?: unknown[] }[] }[]).some((receipt) =>
    receipt.logs?.some((log) => topics.includes(String(log.topics?.[0])) && isOf(address, log.address)),
  );
}
