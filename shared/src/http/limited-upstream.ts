/** Keeps a service from being asked for more than it can do, and its callers from waiting for what will not come. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  NeverSent,
  Overloaded,
  type Exchange,
  type Upstream,
  type UpstreamRequest,
  type UpstreamSink,
} from './upstream.ts';

/** How many requests a service has at the most. */
export interface Limits {
  /** Under way at a time. */
  readonly atOnce: number;
  /** So many more wait, in the order in which they came; who comes then is told at once. */
  readonly waiting: number;
}

/** Of a service, unless said otherwise. */
export const USUAL_LIMITS: Limits = { atOnce: 128, waiting: 1_024 };

/**
 * Keeps to the limits. A request that waits is cancelled without the service hearing of it; one too many fails with
 * `Overloaded`.
 */
export function createLimitedUpstream(upstream: Upstream, limits: Limits): Upstream {
  const places = new Places(limits);
  return {
    dispatch(request, sink) {
      const guest = new Guest(upstream, request, sink, places);
      places.enter(guest);
      return guest;
    },
    close() {
      places.close();
      return upstream.close();
    },
  };
}

class Places {
  readonly #mostWaiting: number;
  #free: number;
  /** With what begins each, which is in the context that it came with. */
  readonly #waiting = new Map<Guest, () => void>();

  constructor({ atOnce, waiting }: Limits) {
    this.#free = atOnce;
    this.#mostWaiting = waiting;
  }

  enter(guest: Guest): void {
    if (this.#free > 0) {
      this.#free--;
      guest.begin();
    } else if (this.#waiting.size < this.#mostWaiting) {
      const begin = AsyncLocalStorage.bind(() => guest.begin());
      this.#waiting.set(guest, begin);
    } else {
      queueMicrotask(() => guest.refuse(new Overloaded('too many requests wait')));
    }
  }

  /** To be called once by each that began. */
  leave(): void {
    for (const [guest, begin] of this.#waiting) {
      this.#waiting.delete(guest);
      begin();
      return;
    }
    this.#free++;
  }

  /** @returns whether it waited, which it does no longer */
  withdraw(guest: Guest): boolean {
    return this.#waiting.delete(guest);
  }

  close(): void {
    for (const guest of this.#waiting.keys()) {
      this.#waiting.delete(guest);
      guest.refuse(new NeverSent('the upstream is closed'));
    }
  }
}

/** One request: it waits, has a place, is over. */
class Guest implements Exchange, UpstreamSink {
  readonly #upstream: Upstream;
  readonly #request: UpstreamRequest;
  readonly #sink: UpstreamSink;
  readonly #places: Places;
  #exchange: Exchange | undefined;
  #over = false;

  constructor(upstream: Upstream, request: UpstreamRequest, sink: UpstreamSink, places: Places) {
    this.#upstream = upstream;
    this.#request = request;
    this.#sink = sink;
    this.#places = places;
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
      this.#places.leave();
    }
  }

  fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#places.leave();
    this.#sink.fail(error);
  }

  resume(): void {
    this.#exchange?.resume();
  }

  cancel(reason: Error): void {
    if (this.#places.withdraw(this)) this.refuse(reason);
    else this.#exchange?.cancel(reason);
  }
}
