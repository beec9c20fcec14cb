/** Finds candidates for a question in logs: logs only name them, amounts are read from state. */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { Log, LogFilter } from '@hindsight/chain/logs/log.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { SearchedBlocks } from '../domain/wallet.ts';
import { FairCandidates } from './fair-candidates.ts';

/** Candidates, and the blocks that were searched. */
interface Candidates<T> extends SearchedBlocks {
  readonly found: readonly T[];
  /** Contracts of which older candidates are left out, EIP-55, sorted. */
  readonly cut: readonly string[];
}

interface CandidateSearch<T> {
  readonly filters: readonly LogFilter[];
  /** The last block that is searched. */
  readonly to: Block;
  /** The search ends then, by `performance.now()`. */
  readonly deadline: number;
  /** The candidates that a log of a contract (EIP-55) names, each with what distinguishes it from all others. */
  readonly read: (contract: string, log: Log) => Iterable<readonly [key: string, make: () => T]>;
}

/**
 * The candidates that logs name, from the newest block down, as far as nodes have logs and time allows.
 * @throws {NodeError} when no node answers
 */
export async function findCandidates<T>(
  logs: Pick<LogSearch, 'firstBlock' | 'search'>,
  { filters, to, deadline, read }: CandidateSearch<T>,
  signal: AbortSignal,
): Promise<Candidates<T>> {
  const candidates = new FairCandidates<T>();
  const first = await logs.firstBlock(signal);
  const range = { from: first.number, to };
  const settle = (fromBlock: number, complete: boolean): Candidates<T> => {
    const { found, cut } = candidates;
    return { found, cut, fromBlock, complete };
  };
  let fromBlock = to.number + 1;
  for await (const part of logs.search(filters, range, { descending: true, deadline, signal })) {
    for (const log of part.logs.toSorted((one, other) => other.block - one.block)) {
      const contract = toChecksum(log.address);
      for (const [key, make] of read(contract, log)) {
        const added = candidates.add(contract, key, make);
        if (added === 'full') return settle(log.block + 1, false);
        // All that a log names is of one contract.
        if (added === 'cut') break;
      }
    }
    fromBlock = part.from;
  }
  if (fromBlock > to.number) throw new NodeError('timeout', 'no logs could be searched in time');
  return settle(fromBlock, first.isChains && fromBlock === first.number);
}
