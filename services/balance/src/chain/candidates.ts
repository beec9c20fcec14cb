/** Finds candidates for a question in logs: logs only name them, amounts are read from state. */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { Log, LogFilter } from '@hindsight/chain/logs/log.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { SearchedBlocks } from '../domain/wallet.ts';
import { Turns } from '@hindsight/kernel/turns.ts';
import type { PageStart } from '../domain/list-page.ts';
import { markOf } from '../domain/mark.ts';
import { FairCandidates, MAX_CANDIDATES } from './fair-candidates.ts';
import { FirstInOrder } from './first-in-order.ts';

/** Candidates, and the blocks that were searched. */
interface Candidates<T> extends SearchedBlocks {
  readonly found: readonly T[];
  /** Contracts of which older candidates are left to later pages, EIP-55, sorted. */
  readonly cut: readonly string[];
  /** Null where no candidate is left. */
  readonly next: PageStart | null;
}

interface CandidateSearch<T> {
  readonly filters: readonly LogFilter[];
  /** The last block that is searched. */
  readonly to: Block;
  /** The search ends then, by `performance.now()`. */
  readonly deadline: number;
  /** The first page where it is not given. */
  readonly page: PageStart | undefined;
  /** The candidates that a log of a contract (EIP-55) names, each with what distinguishes it from all others. */
  readonly read: (contract: string, log: Log) => Iterable<readonly [key: string, make: () => T]>;
}

/**
 * A page of the candidates that logs name, from the newest block down, as far as nodes have logs and time allows.
 * @throws {NodeError} when no node answers, or not all of the blocks of the first page can be searched again
 */
export async function findCandidates<T>(
  logs: Pick<LogSearch, 'firstBlock' | 'search'>,
  { filters, to, deadline, page, read }: CandidateSearch<T>,
  signal: AbortSignal,
): Promise<Candidates<T>> {
  const named = new NamedCandidates<T>(page);
  const first = await logs.firstBlock(signal);
  const range = { from: page?.from ?? first.number, to };
  const turns = new Turns();
  let fromBlock = to.number + 1;
  for await (const part of logs.search(filters, range, { descending: true, deadline, signal })) {
    for (const log of part.logs.toSorted((one, other) => other.block - one.block)) {
      const contract = toChecksum(log.address);
      for (const [key, make] of read(contract, log)) named.add(contract, key, make);
      await turns.next();
    }
    fromBlock = part.from;
  }
  if (fromBlock > to.number) throw new NodeError('timeout', 'no logs could be searched in time');
  return { ...named.pageOf(fromBlock), fromBlock, complete: first.isChains && fromBlock === first.number };
}

/** All candidates that are named, as far as a page needs them. */
class NamedCandidates<T> {
  readonly #page: PageStart | undefined;
  readonly #chosen = new FairCandidates<T>();
  /** Among so many are those of the first page, those of this one, and one that shows that there are more. */
  readonly #others: FirstInOrder<T>;

  constructor(page: PageStart | undefined) {
    this.#page = page;
    this.#others = new FirstInOrder((page ? 2 : 1) * MAX_CANDIDATES + 1, page?.after ?? '');
  }

  add(contract: string, key: string, make: () => T): void {
    this.#chosen.add(contract, key, make);
    this.#others.add(key, make);
  }

  /** @param from the first block that was searched @throws {NodeError} where the first page was made of other logs */
  pageOf(from: number): Pick<Candidates<T>, 'found' | 'cut' | 'next'> {
    const page = this.#page;
    const { found, cut } = this.#chosen;
    const chosen = markOf(this.#chosen.keys.toSorted());
    const others = this.#others.entries.filter(([key]) => !this.#chosen.has(key));
    if (page === undefined)
      return { found, cut, next: others.length > 0 ? { from, chosen, after: '' } : null };
    if (from !== page.from)
      throw new NodeError('timeout', 'the blocks of the first page could not be searched in time');
    if (chosen !== page.chosen) throw new NodeError('malformed', 'the logs are not those of the first page');
    const here = others.slice(0, MAX_CANDIDATES);
    const after = here.at(-1)?.[0] ?? page.after;
    return {
      found: here.map(([, make]) => make()),
      cut: [],
      next: others.length > here.length ? { ...page, after } : null,
    };
  }
}
