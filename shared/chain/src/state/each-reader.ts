/** One question at many blocks, each pinned by its hash: several blocks a request. */
import { Bulkhead } from '../pool/bulkhead.ts';
import type { CallOutcome, PinnedCall, PinnedState } from './pinned-state.ts';

/** Hosted nodes limit batches, and some process them one by one. */
const BLOCKS_PER_REQUEST = 16;
/** Requests of one caller, and of all callers, that are under way at once; the rest of a node is for single questions. */
const REQUESTS_PER_CALLER = 4;
const REQUESTS = 6;
const MAX_WAIT_MS = 60_000;

/** Asks at many blocks. */
export class EachReader {
  readonly #state: Pick<PinnedState, 'ask'>;
  readonly #requests = new Bulkhead('many blocks', { concurrency: REQUESTS, queue: Infinity });

  constructor(state: Pick<PinnedState, 'ask'>) {
    this.#state = state;
  }

  /**
   * Asks all calls.
   * @returns the outcomes in the order of the calls
   * @throws the signal's reason once it is aborted
   */
  async ask(calls: readonly PinnedCall[], signal?: AbortSignal): Promise<readonly CallOutcome[]> {
    const outcomes: CallOutcome[] = [];
    let next = 0;
    const sendNext = async (): Promise<void> => {
      while (next < calls.length) {
        const from = next;
        next += BLOCKS_PER_REQUEST;
        const sent = calls.slice(from, next);
        const answered = await this.#send(sent, signal);
        sent.forEach((_, i) => (outcomes[from + i] = answered[i] ?? { error: new TypeError('no outcome') }));
      }
    };
    await Promise.all(Array.from({ length: REQUESTS_PER_CALLER }, sendNext));
    return outcomes;
  }

  async #send(
    calls: readonly PinnedCall[],
    signal: AbortSignal | undefined,
  ): Promise<readonly CallOutcome[]> {
    signal?.throwIfAborted();
    await this.#requests.enter(MAX_WAIT_MS, signal);
    try {
      return await this.#state.ask(calls, signal);
    } finally {
      this.#requests.leave();
    }
  }
}
