import { ApiError } from '@hindsight/kernel/errors.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import type { CallRow } from '../domain/call/call.ts';
import { callViews, type ViewCalls } from './view-calls.ts';

interface Waiting {
  readonly view: ViewCalls;
  readonly done: PromiseWithResolvers<readonly CallRow[]>;
}

/** Joins the calls of one question: those of views that are called at the same time share requests to the nodes. */
export class JoinedCalls {
  readonly #reader: ChainReader;
  readonly #signal: AbortSignal;
  #waiting: Waiting[] = [];
  /** Tasks that have not ended. */
  #tasks = 0;
  #isDue = false;

  constructor(reader: ChainReader, signal: AbortSignal) {
    this.#reader = reader;
    this.#signal = signal;
  }

  /** Calls a view. @throws {ApiError} as `callView` */
  call(view: ViewCalls): Promise<readonly CallRow[]> {
    const done = Promise.withResolvers<readonly CallRow[]>();
    this.#waiting.push({ view, done });
    this.#sendIfAll();
    return done.promise;
  }

  /** Runs tasks of one call at a time: nothing is sent before each of them waits for its call or has ended. */
  async together<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
    this.#tasks += tasks.length;
    const ended = tasks.map(async (run) => {
      try {
        return await run();
      } finally {
        this.#tasks -= 1;
        this.#sendIfAll();
      }
    });
    return Promise.all(ended);
  }

  #sendIfAll(): void {
    const { length } = this.#waiting;
    if (this.#isDue || length === 0 || length < this.#tasks) return;
    this.#isDue = true;
    // Takes along the calls that come until then.
    void nextTurn().then(() => this.#send());
  }

  async #send(): Promise<void> {
    const sent = this.#waiting;
    this.#waiting = [];
    this.#isDue = false;
    try {
      const views = sent.map(({ view }) => view);
      const outcomes = await callViews(this.#reader, views, this.#signal);
      outcomes.forEach((rows, i) => {
        const { done } = sent[i]!;
        if (rows instanceof ApiError) done.reject(rows);
        else done.resolve(rows);
      });
    } catch (error) {
      for (const { done } of sent) done.reject(error);
    }
  }
}
