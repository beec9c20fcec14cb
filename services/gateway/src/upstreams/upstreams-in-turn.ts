import { isRecent, systemClock, type Clock } from '@hindsight/kernel/clock.ts';
import {
  NeverSent,
  type Exchange,
  type Upstream,
  type UpstreamRequest,
  type UpstreamSink,
} from './upstream.ts';

/** An instance that could not be reached is skipped this long, unless there is no other. */
const PASSED_OVER_MS = 1_000;

interface Instance {
  readonly upstream: Upstream;
  /** Unix milliseconds. */
  unreachableAt: number;
}

/**
 * Sends requests to the instances in turn. A request of which nothing was sent, because its instance could
 * not be reached, goes to the next one. One that was sent is never repeated, because it may have arrived.
 */
export function createUpstreamsInTurn(upstreams: readonly Upstream[], clock: Clock = systemClock): Upstream {
  const instances: Instance[] = upstreams.map((upstream) => ({ upstream, unreachableAt: -Infinity }));
  let turns = 0;

  /** All of them once, beginning with the one whose turn it is; instances recently out of reach come last. */
  function inOrder(): Instance[] {
    const first = turns++ % instances.length;
    const turned = [...instances.slice(first), ...instances.slice(0, first)];
    const now = clock.now();
    const isUnreachable = ({ unreachableAt }: Instance): boolean =>
      isRecent(unreachableAt, PASSED_OVER_MS, now);
    return [...turned.filter((one) => !isUnreachable(one)), ...turned.filter(isUnreachable)];
  }

  return {
    dispatch: (request, sink) => new Attempts(inOrder(), request, sink, clock),
    async close() {
      await Promise.all(upstreams.map((upstream) => upstream.close()));
    },
  };
}

class Attempts implements Exchange, UpstreamSink {
  readonly #left: Instance[];
  readonly #request: UpstreamRequest;
  readonly #sink: UpstreamSink;
  readonly #clock: Clock;
  #instance: Instance | undefined;
  #exchange: Exchange | undefined;
  #cancelled: Error | undefined;

  constructor(instances: Instance[], request: UpstreamRequest, sink: UpstreamSink, clock: Clock) {
    this.#left = instances;
    this.#request = request;
    this.#sink = sink;
    this.#clock = clock;
    this.#next();
  }

  #next(): void {
    this.#instance = this.#left.shift();
    this.#exchange = this.#instance?.upstream.dispatch(this.#request, this);
  }

  head(...answer: Parameters<UpstreamSink['head']>): void {
    this.#sink.head(...answer);
  }

  data(chunk: Buffer): boolean {
    return this.#sink.data(chunk);
  }

  end(): void {
    this.#sink.end();
  }

  fail(error: Error): void {
    if (error instanceof NeverSent && this.#cancelled === undefined) {
      if (this.#instance) this.#instance.unreachableAt = this.#clock.now();
      if (this.#left.length > 0) {
        this.#next();
        return;
      }
    }
    this.#sink.fail(error);
  }

  resume(): void {
    this.#exchange?.resume();
  }

  cancel(reason: Error): void {
    this.#cancelled = reason;
    this.#exchange?.cancel(reason);
  }
}
