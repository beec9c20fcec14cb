import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { injectTrace } from '@hindsight/kernel/telemetry/trace-context.ts';
import { Pool } from '@hindsight/kernel/undici.ts';
import { createLimitedUpstream, LONG_AT_ONCE, USUAL_LIMITS, type Limits } from './limited-upstream.ts';
import { NeverSent, type Exchange, type Upstream, type UpstreamSink } from './upstream.ts';

interface PoolOptions {
  readonly origin: string;
  /** Milliseconds without a byte in the middle of an answer. */
  readonly bodyTimeout: number;
  /** Milliseconds without a byte of an answer without end, from its request on. */
  readonly silenceMs?: number;
  /** As many connections as there are requests and streams at once. */
  readonly limits?: Limits;
}

/** An answer without end that is silent for this long is broken. */
const SILENCE_MS = 45_000;

/** Reaches a service over a keep-alive pool. Nothing is retried: only the caller knows whether a repeat is safe. */
export function createPoolUpstream({
  origin,
  bodyTimeout,
  silenceMs = SILENCE_MS,
  limits = USUAL_LIMITS,
}: PoolOptions): Upstream {
  const pool = new Pool(origin, {
    connections: limits.atOnce + LONG_AT_ONCE,
    pipelining: 1,
    connect: { timeout: 2_000 },
    // The caller's to decide: it would begin with a connection only, not with the request.
    headersTimeout: 0,
    bodyTimeout,
    keepAliveTimeout: 30_000,
  });
  const unlimited: Upstream = {
    dispatch(request, sink) {
      const handler = new PoolExchange(sink);
      const { method, path, headers, body, endless } = request;
      injectTrace(headers);
      if (typeof body === 'function') {
        // A service may have nothing to answer while its rows still come: the caller watches over both directions.
        pool.dispatch({ method, path, headers, body: body(), bodyTimeout: 0 }, handler);
      } else {
        const silence = endless ? { headersTimeout: silenceMs, bodyTimeout: silenceMs } : {};
        pool.dispatch({ method, path, headers, body, ...silence }, handler);
      }
      return handler;
    },
    close: () => pool.destroy(),
  };
  return createLimitedUpstream(unlimited, limits);
}

class PoolExchange implements Dispatcher.DispatchHandler, Exchange {
  readonly #sink: UpstreamSink;
  #controller: Dispatcher.DispatchController | undefined;
  #cancelled: Error | undefined;

  constructor(sink: UpstreamSink) {
    this.#sink = sink;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cancelled) controller.abort(this.#cancelled);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (statusCode >= 200) this.#sink.head(statusCode, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#sink.data(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#sink.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // A controller is given when the request is about to be written to a connection.
    const neverSent = this.#controller === undefined;
    this.#sink.fail(neverSent ? new NeverSent('no connection', { cause: error }) : error);
  }

  resume(): void {
    this.#controller?.resume();
  }

  cancel(reason: Error): void {
    this.#cancelled = reason;
    this.#controller?.abort(reason);
  }
}
