import { trace, type Span } from '@opentelemetry/api';
import { ClientLeft } from './errors.ts';

/** A share in work that is under way. */
export interface Share<T> {
  /** True if this share started the work. */
  readonly isFirst: boolean;
  readonly result: Promise<T>;
  /** Releases the share; does nothing when it was released or the work has ended. */
  readonly leave: () => void;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly end: AbortController;
  /** Active where the work runs, so that its spans belong to the trace of the first caller. */
  readonly span: Span | undefined;
  shares: number;
}

/** Runs concurrent equal work once; aborts it when all callers have left. */
export class SingleFlight<K, T> {
  readonly #flights = new Map<K, Flight<T>>();

  /**
   * Takes a share in the work for the key, and starts it unless it is running. Its signal aborts the work.
   */
  join(key: K, work: (signal: AbortSignal) => Promise<T>): Share<T> {
    const underWay = this.#flights.get(key);
    const flight = underWay ?? this.#begin(key, work);
    if (underWay !== undefined) linkTo(underWay.span);
    flight.shares += 1;
    let isHeld = true;
    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      flight.shares -= 1;
      if (flight.shares > 0 || !this.#forget(key, flight)) return;
      flight.end.abort(new ClientLeft('all callers have left'));
    };
    return { isFirst: underWay === undefined, result: flight.result, leave };
  }

  /** Result of a share that is released when the signal is aborted; the abort alone does not end the wait. */
  async waitFor(share: Share<T>, signal: AbortSignal | undefined): Promise<T> {
    if (signal === undefined) return share.result;
    if (signal.aborted) share.leave();
    signal.addEventListener('abort', share.leave, { once: true });
    try {
      return await share.result;
    } finally {
      signal.removeEventListener('abort', share.leave);
    }
  }

  #begin(key: K, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const end = new AbortController();
    const result = work(end.signal).finally(() => this.#forget(key, flight));
    const flight: Flight<T> = { result, end, span: trace.getActiveSpan(), shares: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  /** @returns whether it was still under way */
  #forget(key: K, flight: Flight<T>): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
  }
}

function linkTo(other: Span | undefined): void {
  const own = trace.getActiveSpan();
  if (own !== undefined && other !== undefined && own !== other)
    own.addLink({ context: other.spanContext() });
}
