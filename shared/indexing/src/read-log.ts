/** Parses `eth_getLogs` and headers, and refuses answers that contradict the question. */
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import { readEach } from '@hindsight/chain/logs/log.ts';
import type { RangeEnd } from '@hindsight/chain/logs/vouched-logs.ts';
import { dataToBytes, parseHash, quantityToNumber } from '@hindsight/chain/rpc/hex.ts';
import { NodeError, orMalformed } from '@hindsight/chain/rpc/node-error.ts';
import type { LogBlock, LogReduction, RawLog } from './range-reading.ts';

export interface ReadLogs<Found> {
  readonly count: number;
  readonly found: Found;
  /** The hash that the events of a block name, for each block with events. */
  readonly hashes: ReadonlyMap<number, string>;
}

/** Reads the answer to `eth_getLogs`. @throws {NodeError} `malformed` */
export function readLogs<Found>(
  label: string,
  answer: unknown,
  range: BlockRange,
  reduction: LogReduction<Found>,
): ReadLogs<Found> {
  const { read, end } = startReading(label, range, reduction);
  read(answer);
  return end();
}

export function startReading<Found>(label: string, range: BlockRange, reduction: LogReduction<Found>) {
  const { found, take } = reduction.start();
  const { hashes, blockOf } = blockReader(range, reduction);
  let count = 0;
  return {
    /** @throws {NodeError} `malformed` */
    read: (answer: unknown): void => {
      const read = readEach(label, answer, (entry) => {
        const block = blockOf(entry);
        take(entry as unknown as RawLog, block);
      });
      count += read.length;
    },
    end: (): ReadLogs<Found> => ({ count, found, hashes }),
  };
}

export type EventFilter = Pick<LogReduction<unknown>, 'topics' | 'address'>;

function isOf(wanted: string | undefined, address: unknown): boolean {
  return wanted === undefined || String(address).toLowerCase() === wanted;
}

/** The previous log as the node wrote it. Hundreds in a row share a block, and comparing is faster than parsing. */
interface Written {
  readonly number: unknown;
  readonly hash: unknown;
  readonly block: LogBlock;
}

/** Reads the block of each log of an answer, and keeps their hashes. */
function blockReader(range: BlockRange, { topics, address }: EventFilter) {
  const wanted: ReadonlySet<unknown> = new Set(topics);
  const hashes = new Map<number, string>();
  let last: Written | undefined;
  const parse = (blockNumber: unknown, blockHash: unknown): LogBlock => {
    const number = quantityToNumber(blockNumber);
    const hash = parseHash(blockHash);
    if (number < range.from || number > range.to) throw new TypeError('a log of another block');
    if ((hashes.get(number) ?? hash) !== hash) throw new TypeError('two blocks of one height');
    hashes.set(number, hash);
    return { number, hash };
  };
  /** @throws {TypeError} for a log that was not requested */
  const blockOf = (entry: Readonly<Record<string, unknown>>): LogBlock => {
    const { topics: own, removed, blockNumber, blockHash } = entry;
    const isOther = !Array.isArray(own) || !wanted.has(own[0]) || !isOf(address, entry.address);
    if (removed === true || isOther) throw new TypeError('a log that was not requested');
    if (blockNumber !== last?.number || blockHash !== last?.hash || last === undefined)
      last = { number: blockNumber, hash: blockHash, block: parse(blockNumber, blockHash) };
    return last.block;
  };
  return { hashes, blockOf };
}

/** Reads the bloom of a header. @throws {NodeError} `malformed` */
export function bloomOf(label: string, { answer }: RangeEnd): Buffer {
  const { logsBloom } = answer as { logsBloom?: unknown };
  return orMalformed(`${label} returned a header without a bloom`, () => dataToBytes(logsBloom));
}

/** The logs of receipts that are of the events. @throws {NodeError} if the receipts are not available */
export function eventsIn(
  label: string,
  answer: unknown,
  { topics, address }: EventFilter,
): readonly unknown[] {
  if (!Array.isArray(answer)) throw new NodeError('missing-state', `${label} has no receipts of the block`);
  return (answer as { logs?: { address?: unknown; topics?: unknown[] }[] }[]).flatMap(({ logs = [] }) =>
    logs.filter((log) => topics.includes(String(log.topics?.[0])) && isOf(address, log.address)),
  );
}
