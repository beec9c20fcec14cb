/** Lets an answer pass only once its cost is recorded. */
import type { Exchange, Upstream, UpstreamRequest, UpstreamSink } from './upstream.ts';

/** Most of an answer that is buffered while its cost is being recorded. */
const HELD_BYTES = 64 * 1024;

/** Records what the rows cost that have passed. */
interface Meter {
  /** Resolves when it is on disk. */
  record(): Promise<void>;
}

/** Refusals pass unchanged. */
export function meterUpstream(upstream: Upstream, meter: Meter): Upstream {
  return {
    dispatch: (request, sink) => new MeteredExchange(upstream, request, sink, meter),
    close: () => upstream.close(),
  };
}

/** One answer on its way: it arrives, waits for the record, and goes on. */
class MeteredExchange implements Exchange, UpstreamSink {
  readonly #sink: UpstreamSink;
  readonly #meter: Meter;
  readonly #exchange: Exchange;
  #isMetered = false;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isPassing = false;
  /** The receiver takes no more at the moment. */
  #isFull = false;
  #hasEnded = false;
  #isCancelled = false;
  /** Its outcome has been reported. */
  #isOver = false;

  constructor(upstream: Upstream, request: UpstreamRequest, sink: UpstreamSink, meter: Meter) {
    this.#sink = sink;
    this.#meter = meter;
    this.#exchange = upstream.dispatch(request, this);
  }

  head(statusCode: number, headers: Parameters<UpstreamSink['head']>[1]): void {
    this.#isMetered = statusCode < 400;
    this.#sink.head(statusCode, headers);
  }

  data(chunk: Buffer): boolean {
    if (!this.#isMetered) return this.#sink.data(chunk);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    void this.#pass();
    return this.#heldBytes < HELD_BYTES;
  }

  end(): void {
    this.#hasEnded = true;
    if (this.#isMetered) void this.#pass();
    else this.#sink.end();
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.fail(error);
  }

  resume(): void {
    this.#isFull = false;
    if (this.#isMetered) void this.#pass();
    this.#exchange.resume();
  }

  cancel(reason: Error): void {
    this.#isCancelled = true;
    this.#exchange.cancel(reason);
  }

  async #pass(): Promise<void> {
    if (this.#isPassing) return;
    this.#isPassing = true;
    try {
      while (this.#held.length > 0 && !this.#isFull && this.#isGoingOn) {
        const ready = this.#held;
        this.#held = [];
        await this.#meter.record();
        for (const chunk of ready) this.#deliver(chunk);
        if (!this.#isFull && !this.#hasEnded) this.#exchange.resume();
      }
      if (this.#hasEnded && this.#held.length === 0 && this.#isGoingOn) {
        await this.#meter.record();
        if (!this.#isGoingOn) return;
        this.#isOver = true;
        this.#sink.end();
      }
    } catch (error) {
      this.#exchange.cancel(new Error('what it costs cannot be recorded'));
      this.fail(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#isPassing = false;
    }
  }

  get #isGoingOn(): boolean {
    return !this.#isOver && !this.#isCancelled;
  }

  #deliver(chunk: Buffer): void {
    if (!this.#isGoingOn) return;
    this.#heldBytes -= chunk.length;
    if (!this.#sink.data(chunk)) this.#isFull = true;
  }
}
