/** Protects a service from overload, and its callers from waiting in vain. */
import { Bulkhead } from '@hindsight/kernel/bulkhead.ts';
import { EVENT_STREAMS, SNAPSHOTS } from '../limits/slots.ts';
import {
  NeverSent,
  Overloaded,
  type Exchange,
  type Upstream,
  type UpstreamRequest,
  type UpstreamSink,
} from './upstream.ts';

export interface Limits {
  /** Under way at a time. */
  readonly atOnce: number;
  /** This many more wait in order of arrival; any further request is refused at once. */
  readonly waiting: number;
}

/**
 * Most streams under way, in addition to those. They take long, so none waits: any further one is refused at
 * once.
 */
const STREAMS_AT_ONCE = SNAPSHOTS.places.all;
/**
 * The same for answers without end, which cost a connection and little else: each follower begins with one of its own, beside
 * the one that it will share.
 */
const ENDLESS_AT_ONCE = 2 * EVENT_STREAMS.places.all;
/** All that may be under way in addition to the requests. */
export const LONG_AT_ONCE = STREAMS_AT_ONCE + ENDLESS_AT_ONCE;

export const USUAL_LIMITS: Limits = { atOnce: 128, waiting: 1_024 };

/**
 * Keeps to the limits. A request that waits is cancelled without its service ever getting it; one too many fails with
 * `Overloaded`.
 */
export function createLimitedUpstream(upstream: Upstream, limits: Limits): Upstream {
  const requests = bulkhead(limits.atOnce, limits.waiting);
  const streams = bulkhead(STREAMS_AT_ONCE, 0);
  const endless = bulkhead(ENDLESS_AT_ONCE, 0);
  const closed = new AbortController();
  return {
    dispatch(request, sink) {
      const kind = request.endless ? endless : typeof request.body === 'function' ? streams : requests;
      return new LimitedExchange({ upstream, request, sink, bulkhead: kind, closed: closed.signal });
    },
    close() {
      closed.abort(new NeverSent('the upstream is closed'));
      return upstream.close();
    },
  };
}

function bulkhead(concurrency: number, queue: number): Bulkhead {
  return new Bulkhead({ concurrency, queue }, () => new Overloaded('too many requests wait'));
}

interface Dispatched {
  readonly upstream: Upstream;
  readonly request: UpstreamRequest;
  readonly sink: UpstreamSink;
  readonly bulkhead: Bulkhead;
  readonly closed: AbortSignal;
}

/** One request: it waits, is under way, is over. */
class LimitedExchange implements Exchange, UpstreamSink {
  readonly #sink: UpstreamSink;
  readonly #bulkhead: Bulkhead;
  /** While it waits. */
  #leaving: AbortController | undefined;
  #exchange: Exchange | undefined;
  #over = false;

  constructor({ upstream, request, sink, bulkhead, closed }: Dispatched) {
    this.#sink = sink;
    this.#bulkhead = bulkhead;
    if (bulkhead.tryEnter()) this.#send(upstream, request);
    else void this.#wait(upstream, request, closed);
  }

  async #wait(upstream: Upstream, request: UpstreamRequest, closed: AbortSignal): Promise<void> {
    const leaving = (this.#leaving = new AbortController());
    try {
      await this.#bulkhead.enter(Infinity, AbortSignal.any([leaving.signal, closed]));
      // It was cancelled in the moment of its admission.
      if (leaving.signal.aborted) this.#bulkhead.leave();
      leaving.signal.throwIfAborted();
    } catch (error) {
      this.#over = true;
      this.#sink.fail(error as Error);
      return;
    } finally {
      this.#leaving = undefined;
    }
    this.#send(upstream, request);
  }

  /** An upstream that throws must not keep its place. */
  #send(upstream: Upstream, request: UpstreamRequest): void {
    try {
      this.#exchange = upstream.dispatch(request, this);
    } catch (error) {
      this.fail(error as Error);
    }
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
      this.#bulkhead.leave();
    }
  }

  fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#bulkhead.leave();
    this.#sink.fail(error);
  }

  resume(): void {
    this.#exchange?.resume();
  }

  cancel(reason: Error): void {
    if (this.#leaving) this.#leaving.abort(reason);
    else this.#exchange?.cancel(reason);
  }
}
