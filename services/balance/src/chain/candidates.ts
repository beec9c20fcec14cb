/** Finds candidates for a question in logs: logs only name them, amounts are read from state. */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { Log, LogFilter } from '@hindsight/chain/logs/log.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { SearchedBlocks } from '../domain/wallet.ts';
import { markOf } from '@hindsight/kernel/mark.ts';
import { Turns } from '@hindsight/kernel/turns.ts';
import type { PageStart } from '../domain/list-page.ts';
import { FairCandidates, MAX_CANDIDATES } from './fair-candidates.ts';
import { FirstInOrder, type Keyed } from './first-in-order.ts';
import type { Indexed } from './event-index.ts';

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
  readonly read: (contract: string, log: Log) => Iterable<Keyed<T>>;
  /** The candidates of earlier blocks, which need not be searched. */
  readonly indexed: Indexed<Keyed<T>> | undefined;
}

/**
 * A page of the candidates that logs name, from the newest block down, as far as nodes have logs and time allows; or down to
 * the end of an index, and then those of the index.
 * @throws {NodeError} when no node answers, or not all of the blocks of the first page can be searched again
 */
export async function findCandidates<T>(
  logs: Pick<LogSearch, 'firstBlock' | 'search'>,
  { filters, to, deadline, page, read, indexed: given }: CandidateSearch<T>,
  signal: AbortSignal,
): Promise<Candidates<T>> {
  // A later page searches the blocks of the first, which may have been fewer than an index has.
  const indexed = page === undefined || page.from === given?.from ? given : undefined;
  const named = new NamedCandidates<T>(page);
  const first = indexed ? { number: indexed.end + 1, isChains: true } : await logs.firstBlock(signal);
  const range = { from: indexed ? first.number : (page?.from ?? first.number), to };
  const turns = new Turns();
  const isSearched = first.number <= to.number;
  let fromBlock = isSearched ? to.number + 1 : first.number;
  const parts = isSearched ? logs.search(filters, range, { descending: true, deadline, signal }) : [];
  for await (const part of parts) {
    for (const log of part.logs.toSorted((one, other) => other.block - one.block)) {
      for (const candidate of read(toChecksum(log.address), log)) named.add(candidate);
      await turns.next();
    }
    fromBlock = part.from;
  }
  if (isSearched && fromBlock > to.number)
    throw new NodeError('timeout', 'no logs could be searched in time');
  const complete = first.isChains && fromBlock === first.number;
  if (indexed === undefined || !complete)
    return { ...named.pageOf(fromBlock), how: 'logs', fromBlock, complete };
  for (const candidate of indexed.rows) named.add(candidate);
  return { ...named.pageOf(indexed.from), how: 'index', fromBlock: indexed.from, complete };
}

/** All candidates that are named, as far as a page needs them. */
class NamedCandidates<T> {
  readonly #page: PageStart | undefined;
  readonly #chosen = new FairCandidates<T>();
  /** Enough of them for the first page, this one, and one more that shows that there is a next. */
  readonly #others: FirstInOrder<T>;

  constructor(page: PageStart | undefined) {
    this.#page = page;
    this.#others = new FirstInOrder((page ? 2 : 1) * MAX_CANDIDATES + 1, page?.after ?? '');
  }

  add([key, make]: Keyed<T>): void {
    // A key begins with its token, which is another contract than Permit2.
    this.#chosen.add(key.split(' ', 1)[0]!, key, make);
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
