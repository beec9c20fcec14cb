/** Finds in logs what may be asked about: logs only name candidates, amounts are read from state. */
import type { Log, LogFilter } from '@hindsight/chain/logs/log.ts';
import type { LogPart, LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { SearchedBlocks } from '../domain/searched-blocks.ts';

/** What was found, and in which blocks. */
interface Candidates<T> extends SearchedBlocks {
  readonly found: readonly T[];
}

interface CandidateSearch<T> {
  readonly filters: readonly LogFilter[];
  /** The last block that is searched. */
  readonly to: number;
  /** The candidate that a log names, and what distinguishes it from others; undefined for none. */
  readonly read: (log: Log) => readonly [key: string, candidate: T] | undefined;
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
  let fromBlock = to + 1;
  for await (const part of logs.search(filters, range, { descending: true, deadline, signal })) {
    for (const group of byBlock(part)) {
      const fresh = group.flatMap((log) => [read(log) ?? []].filter(isEntry));
      const isTooMany = found.size > 0 && found.size + fresh.length > MAX_CANDIDATES;
      if (isTooMany) return { found: [...found.values()], fromBlock: group[0]!.block + 1, complete: false };
      for (const [key, candidate] of fresh) found.set(key, candidate);
    }
    fromBlock = part.from;
  }
  if (fromBlock > to) throw new NodeError('timeout', 'no logs could be searched in time');
  return { found: [...found.values()], fromBlock, complete: first.isChains && fromBlock === first.number };

  function isEntry(entry: readonly [string, T] | readonly []): entry is readonly [string, T] {
    return entry.length > 0 && !found.has(entry[0]!);
  }
}

/** The logs of a part by block, the newest first. */
function byBlock({ logs }: LogPart): readonly (readonly Log[])[] {
  const groups = new Map<number, Log[]>();
  for (const log of logs) {
    const group = groups.get(log.block);
    if (group) group.push(log);
    else groups.set(log.block, [log]);
  }
  return [...groups].sort(([one], [other]) => other - one).map(([, group]) => group);
}
