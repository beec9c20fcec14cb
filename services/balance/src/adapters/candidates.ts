/** Finds in logs what may be asked about: logs only name candidates, amounts are read from state. */
import type { Log, LogFilter } from '@hindsight/chain/logs/log.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { SearchedBlocks } from '../domain/searched-blocks.ts';

/** What was found, and in which blocks. */
interface Candidates<T> extends SearchedBlocks {
  readonly found: readonly T[];
}

interface CandidateSearch<T> {
  readonly filters: readonly LogFilter[];
  /** The last block that is searched. */
  readonly to: Block;
  /** The candidates that a log names, each with what distinguishes it from others. */
  readonly read: (log: Log) => Iterable<readonly [key: string, candidate: T]>;
}

/** Half of the time that a request has: the rest is for reading state. */
const SEARCH_MS = 4_000;
/** More would be too many to read at once. */
const MAX_CANDIDATES = 2_000;

/**
 * The candidates that logs name, from the newest block down, as far as nodes have logs and time allows.
 * @throws {NodeError} when no node answers
 */
export async function findCandidates<T>(
  logs: LogSearch,
  { filters, to, read }: CandidateSearch<T>,
  signal: AbortSignal,
): Promise<Candidates<T>> {
  const found = new Map<string, T>();
  const deadline = performance.now() + SEARCH_MS;
  const first = await logs.firstBlock(signal);
  const range = { from: first.number, to };
  let fromBlock = to.number + 1;
  for await (const part of logs.search(filters, range, { descending: true, deadline, signal })) {
    for (const log of part.logs.toSorted((one, other) => other.block - one.block)) {
      for (const [key, candidate] of read(log)) {
        const isTooMany = found.size === MAX_CANDIDATES && !found.has(key);
        if (isTooMany) return { found: [...found.values()], fromBlock: log.block + 1, complete: false };
        found.set(key, candidate);
      }
    }
    fromBlock = part.from;
  }
  if (fromBlock > to.number) throw new NodeError('timeout', 'no logs could be searched in time');
  return { found: [...found.values()], fromBlock, complete: first.isChains && fromBlock === first.number };
}
