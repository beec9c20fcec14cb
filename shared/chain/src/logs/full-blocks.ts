import { Bulkhead } from '@hindsight/kernel/bulkhead.ts';
import type { RpcOptions } from '../rpc/node.ts';
import { NodeError, tooManyWait } from '../rpc/node-error.ts';

/** The most bytes of the logs of one block, which no smaller question has: one full of events makes some 30 MB. */
export const BLOCK_BYTES = 64 * 1024 * 1024;
/** Questions that wait. */
const QUEUE = 64;

/**
 * Questions about blocks that are not divided further: answers that are larger than usual come one at a time, because each
 * takes much memory.
 */
export class FullBlocks {
  readonly #turns = new Bulkhead({ concurrency: 1, queue: QUEUE }, () => tooManyWait('for a full block'));

  /** @param ask is called again, with more room, where the answer was too large @throws {NodeError} */
  async read<T, Options extends RpcOptions>(
    ask: (options: Options & RpcOptions) => Promise<T>,
    options: Options,
  ): Promise<T> {
    try {
      return await ask(options);
    } catch (error) {
      if (!(error instanceof NodeError && error.details.tooLarge)) throw error;
    }
    await this.#turns.enter(options.timeoutMs, options.signal);
    try {
      return await ask({ ...options, maxBytes: BLOCK_BYTES });
    } finally {
      this.#turns.leave();
    }
  }
}
