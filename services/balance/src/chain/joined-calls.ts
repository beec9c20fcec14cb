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
export function joinCalls(reader: ChainReader, signal: AbortSignal) {
  let waiting: Waiting[] = [];
  /** Tasks that have not ended. */
  let running = 0;
  let isDue = false;

  function sendIfAll(): void {
    if (isDue || waiting.length === 0 || waiting.length < running) return;
    isDue = true;
    // Takes along the calls that come until then.
    void nextTurn().then(send);
  }

  async function send(): Promise<void> {
    const sent = waiting;
    waiting = [];
    isDue = false;
    try {
      const views = sent.map(({ view }) => view);
      const outcomes = await callViews(reader, views, signal);
      outcomes.forEach((rows, i) => {
        const { done } = sent[i]!;
        if (rows instanceof ApiError) done.reject(rows);
        else done.resolve(rows);
      });
    } catch (error) {
      for (const { done } of sent) done.reject(error);
    }
  }

  return {
    /** Calls a view. @throws {ApiError} as `callView` */
    call(view: ViewCalls): Promise<readonly CallRow[]> {
      const done = Promise.withResolvers<readonly CallRow[]>();
      waiting.push({ view, done });
      sendIfAll();
      return done.promise;
    },
    /** Runs tasks of one call at a time: nothing is sent before each of them waits for its call or has ended. */
    async together<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
      running += tasks.length;
      const ended = tasks.map(async (run) => {
        try {
          return await run();
        } finally {
          running -= 1;
          sendIfAll();
        }
      });
      return Promise.all(ended);
    },
  };
}
