/**
 * How the gateway reaches a service: over a pool of connections, or in the same process.
 *
 * The port is push-style, like undici's own dispatch: chunks go from one socket to the other with no stream object
 * between them, which is what a gateway's cost per request is made of.
 */
import { context, propagation, type TextMapSetter } from '@opentelemetry/api';
import type { IncomingHttpHeaders } from 'node:http';
import { Pool, type Dispatcher } from 'undici';
import type { HttpServer } from './types.ts';

/** A request as it is forwarded. */
export interface UpstreamRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /**
   * Names (lower-cased) and values in turn. The trace that is under way is written into them; where nothing is traced,
   * the caller's own `traceparent` stays.
   */
  readonly headers: string[];
  /** Whole: bodies are small here. */
  readonly body: Buffer | null;
}

/** Receives the answer. Exactly one of `end` and `fail` is called, last. */
export interface UpstreamSink {
  head(statusCode: number, headers: IncomingHttpHeaders): void;
  /** @returns false when the receiver is full; `resume()` of the exchange continues. */
  data(chunk: Buffer): boolean;
  end(): void;
  /** The upstream could not be reached, broke off, was too slow or was cancelled. */
  fail(error: Error): void;
}

/** The upstream could not be reached: nothing of the request was sent, so it may be sent elsewhere. */
export class NeverSent extends Error {
  override readonly name = 'NeverSent';
}

/** One request under way. */
export interface Exchange {
  resume(): void;
  /** Gives the request up; the upstream sees its client leave. */
  cancel(reason: Error): void;
}

/** A service that answers requests. */
export interface Upstream {
  dispatch(request: UpstreamRequest, sink: UpstreamSink): Exchange;
  close(): Promise<void>;
}

interface PoolOptions {
  readonly origin: string;
  /** Connections at the most. */
  readonly connections?: number;
  /** Milliseconds from the request to the answer's head. */
  readonly headersTimeout: number;
}

const IN_TURN: TextMapSetter<string[]> = {
  set(headers, name, value) {
    for (let at = 0; at < headers.length; at += 2) {
      if (headers[at] !== name) continue;
      headers[at + 1] = value;
      return;
    }
    headers.push(name, value);
  },
};

/** Reaches a service over a keep-alive pool. Nothing is retried: whether a repeat is harmless, only the caller knows. */
export function createPoolUpstream(options: PoolOptions): Upstream {
  const pool = new Pool(options.origin, {
    connections: options.connections ?? 128,
    pipelining: 1,
    connect: { timeout: 2_000 },
    headersTimeout: options.headersTimeout,
    bodyTimeout: options.headersTimeout,
    keepAliveTimeout: 30_000,
  });
  return {
    dispatch(request, sink) {
      const handler = new PoolExchange(sink);
      const { method, path, headers, body } = request;
      propagation.inject(context.active(), headers, IN_TURN);
      pool.dispatch({ method, path, headers, body }, handler);
      return handler;
    },
    close: () => pool.destroy(),
  };
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

/** Reaches a service in the same process: the standalone's way. The server need not listen. */
export function createInProcessUpstream(app: HttpServer): Upstream {
  return {
    dispatch(request, sink) {
      const abort = new AbortController();
      const { method, path: url, headers, body } = request;
      propagation.inject(context.active(), headers, IN_TURN);
      app
        .inject({
          method: method as 'GET',
          url,
          headers: byName(headers),
          signal: abort.signal,
          ...(body ? { payload: body } : {}),
        })
        .then((response) => {
          if (abort.signal.aborted) return;
          sink.head(response.statusCode, response.headers as IncomingHttpHeaders);
          sink.data(response.rawPayload);
          sink.end();
        })
        .catch((error: unknown) => sink.fail(error instanceof Error ? error : new Error(String(error))));
      return { resume: () => undefined, cancel: (reason) => abort.abort(reason) };
    },
    close: async () => undefined,
  };
}

function byName(headers: readonly string[]): Record<string, string | string[]> {
  const named: Record<string, string | string[]> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    const before = named[name];
    named[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return named;
}
