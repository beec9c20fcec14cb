/** Tells an index of another chain, whose holders would be given balances of this one. */
import type { Position } from '@hindsight/indexing/position.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { LRUCache } from 'lru-cache';
import type { BalanceQuestions } from './balance-answers.ts';

const MOST_FOUND = 1_000;

/** Compares an index's last block with the chain that balances are read from, once for each position. */
export class IndexedChain {
  readonly #balances: BalanceQuestions;
  /** The hashes of positions that were found on the chain; each track has few. */
  readonly #found = new LRUCache<number, string>({ max: MOST_FOUND });

  constructor(balances: BalanceQuestions) {
    this.#balances = balances;
  }

  /** True if the chain has the block where the index ends. @throws {ApiError} where no node can tell */
  async has({ number, hash }: Position, signal: AbortSignal): Promise<boolean> {
    if (this.#found.get(number) === hash) return true;
    const when = new URLSearchParams({ block_height: String(number) });
    try {
      if ((await this.#balances.block(when, signal)).hash !== hash) return false;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'block_above_head') return false;
      throw error;
    }
    this.#found.set(number, hash);
    return true;
  }
}
