/** Protects a service from overload, and its callers from waiting in vain. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { EVENT_STREAMS, SNAPSHOTS } from '../limits/slots.ts';
import {
  NeverSent,
  Overloaded,
  type Exchange,
  type Upstream,
  type UpstreamRequest,
  type UpstreamSink,
} from './upstream.ts';

/** The limits of one service. */
export interface Limits {
  /** Under way at a time. */
  readonly atOnce: number;
  /** This many more wait in order of arrival; any further request is refused at once. */
  readonly waiting: number;
}

/** Streams under way at a time, beside those. They take long, so none waits: any further one is refused at once. */
const STREAMS_AT_ONCE = SNAPSHOTS.places.all;
/** The same of answers without end, which cost a connection and little else. */
const ENDLESS_AT_ONCE = EVENT_STREAMS.places.all;
/** All that may be under way beside the requests. */
export const LONG_AT_ONCE = STREAMS_AT_ONCE + ENDLESS_AT_ONCE;

/** The default limits of a service. */
export const USUAL_LIMITS: Limits = { atOnce: 128, waiting: 1_024 };

/**
 * Keeps to the limits. A request that waits is cancelled without its service ever getting it; one too many fails with
 * `Overloaded`.
 */
export function createLimitedUpstream(upstream: Upstream, limits: Limits): Upstream {
  const requests = new Semaphore(limits);
  const streams = new Semaphore({ atOnce: STREAMS_AT_ONCE, waiting: 0 });
  const endless = new Semaphore({ atOnce: ENDLESS_AT_ONCE, waiting: 0 });
  return {
    dispatch(request, sink) {
      const semaphore = request.endless ? endless : typeof request.body === 'function' ? streams : requests;
      const waiter = new Waiter(upstream, request, sink, semaphore);
      semaphore.enter(waiter);
      return waiter;
    },
    close() {
      requests.close();
      return upstream.close();
    },
  };
}

class Semaphore {
  readonly #maxWaiting: number;
  #free: number;
  /** What begins each, in the asynchronous context that it came with. */
  readonly #waiting = new Map<Waiter, () => void>();

  constructor({ atOnce, waiting }: Limits) {
    this.#free = atOnce;
    this.#maxWaiting = waiting;
  }

  enter(waiter: Waiter): void {
    if (this.#free > 0) {
      this.#free--;
      waiter.begin();
    } else if (this.#waiting.size < this.#maxWaiting) {
      const begin = AsyncLocalStorage.bind(() => waiter.begin());
      this.#waiting.set(waiter, begin);
    } else {
      queueMicrotask(() => waiter.refuse(new Overloaded('too many requests wait')));
    }
  }

  /** Called once for each request that began. */
  leave(): void {
    for (const [waiter, begin] of this.#waiting) {
      this.#waiting.delete(waiter);
      begin();
      return;
    }
    this.#free++;
  }

  /** Removes a waiter. @returns whether it was waiting */
  withdraw(waiter: Waiter): boolean {
    return this.#waiting.delete(waiter);
  }

  close(): void {
    for (const waiter of this.#waiting.keys()) {
      this.#waiting.delete(waiter);
      waiter.refuse(new NeverSent('the upstream is closed'));
    }
  }
}

/** One request: it waits, is under way, is over. */
class Waiter implements Exchange, UpstreamSink {
  readonly #upstream: Upstream;
  readonly #request: UpstreamRequest;
  readonly #sink: UpstreamSink;
  readonly #semaphore: Semaphore;
  #exchange: Exchange | undefined;
  #over = false;

  constructor(upstream: Upstream, request: UpstreamRequest, sink: UpstreamSink, semaphore: Semaphore) {
    this.#upstream = upstream;
    this.#request = request;
    this.#sink = sink;
    this.#semaphore = semaphore;
  }

  begin(): void {
    this.#exchange = this.#upstream.dispatch(this.#request, this);
  }

  refuse(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.fail(error);
  }

  head(...answer: Parameters<UpstreamSink['head']>): void {
    this.#sink.head(...answer);
  }

  data(chunk: Buffer): boolean {
    return this.#sink.data(chunk);
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    try {
      this.#sink.end();
    } finally {
      this.#semaphore.leave();
    }
  }

  fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#semaphore.leave();
    this.#sink.fail(error);
  }

  resume(): void {
    this.#exchange?.resume();
  }

  cancel(reason: Error): void {
    if (this.#semaphore.withdraw(this)) this.refuse(reason);
    else this.#exchange?.cancel(reason);
  }
}
