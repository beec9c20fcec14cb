/** Parses the answer to `eth_getLogs`, and refuses logs outside of the question. */
import { dataToBytes, parseHash, quantityToNumber } from '../rpc/hex.ts';
import { NodeError, orMalformed } from '../rpc/node-error.ts';
import type { BlockRange } from './block-range.ts';

export interface LogFilter {
  /** 0x and 40 hex digits; by default any contract's. */
  readonly address?: string;
  /** By position: alternatives for one topic, or null for any. */
  readonly topics: readonly (string | readonly string[] | null)[];
}

export interface Log {
  /** Lower-cased. */
  readonly address: string;
  /** Lower-cased. */
  readonly topics: readonly string[];
  readonly data: Buffer;
  readonly block: number;
  readonly blockHash: string;
  readonly transactionHash: string;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Reads the logs of a filter and range. @throws {NodeError} `malformed` */
export function readLogs(
  label: string,
  answer: unknown,
  filter: LogFilter,
  range: BlockRange,
): readonly Log[] {
  return readEach(label, answer, (entry) => readLog(entry, filter, range));
}

/** Reads each log of an answer. @param read throws for one that was not requested @throws {NodeError} `malformed` */
export function readEach<T>(
  label: string,
  answer: unknown,
  read: (entry: Readonly<Record<string, unknown>>) => T,
): readonly T[] {
  if (!Array.isArray(answer)) throw new NodeError('malformed', `${label} returned malformed logs`);
  return orMalformed(`${label} returned logs that do not match the request`, () =>
    (answer as Record<string, unknown>[]).map((entry) => read(entry)),
  );
}

/** The hash of each block that logs name. @throws {NodeError} if they name two for one height */
export function hashesOf(logs: readonly Log[]): ReadonlyMap<number, string> {
  const hashes = new Map<number, string>();
  for (const { block, blockHash } of logs) {
    if ((hashes.get(block) ?? blockHash) !== blockHash)
      throw new NodeError('malformed', `logs name two blocks of height ${block}`);
    hashes.set(block, blockHash);
  }
  return hashes;
}

function readLog(entry: Readonly<Record<string, unknown>>, filter: LogFilter, range: BlockRange): Log {
  const address = String(entry.address).toLowerCase();
  if (!ADDRESS.test(address) || !Array.isArray(entry.topics)) throw new TypeError('no log');
  const log = {
    address,
    topics: entry.topics.map(parseHash),
    data: dataToBytes(entry.data),
    block: quantityToNumber(entry.blockNumber),
    blockHash: parseHash(entry.blockHash),
    transactionHash: parseHash(entry.transactionHash),
  };
  const isOther = log.block < range.from || log.block > range.to || entry.removed === true;
  if (isOther || !isMeant(log, filter)) throw new TypeError('a log that was not requested');
  return log;
}

function isMeant({ address, topics }: Log, filter: LogFilter): boolean {
  if (filter.address !== undefined && filter.address.toLowerCase() !== address) return false;
  return filter.topics.every((wanted, at) => {
    if (wanted === null) return true;
    return [wanted].flat().some((topic) => topic.toLowerCase() === topics[at]);
  });
}
