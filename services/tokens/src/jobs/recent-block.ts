import type { Clock } from '@hindsight/kernel/clock.ts';
import type { FinalizedBlock, FinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';

/** A finalized block counts as recent for this long. */
const RECENT_MS = 30_000;

/** Remembers the last finalized block that was read. */
export class RecentBlock {
  readonly #logs: Pick<FinalizedLogs<unknown>, 'finalized'>;
  readonly #clock: Clock;
  #recent: { readonly block: FinalizedBlock; readonly at: number } | undefined;

  constructor(logs: Pick<FinalizedLogs<unknown>, 'finalized'>, clock: Clock) {
    this.#logs = logs;
    this.#clock = clock;
  }

  /** A finalized block not long ago. @throws {NodeError} */
  async read(signal: AbortSignal): Promise<FinalizedBlock> {
    const now = this.#clock.now();
    if (this.#recent !== undefined && now - this.#recent.at < RECENT_MS) return this.#recent.block;
    const block = await this.#logs.finalized(signal);
    if (block === null) throw new Error('the chain had a finalized block and has none any more');
    this.#recent = { block, at: now };
    return block;
  }

  /**
   * Asks something at that block. After a failure the block is read again for the next question: the node that named it
   * may have been wrong, or the one that answers now may not have it.
   */
  async ask<Answer>(
    signal: AbortSignal,
    question: (block: FinalizedBlock) => Promise<Answer>,
  ): Promise<Answer> {
    const block = await this.read(signal);
    try {
      return await question(block);
    } catch (error) {
      if (this.#recent?.block === block) this.#recent = undefined;
      throw error;
    }
  }
}
