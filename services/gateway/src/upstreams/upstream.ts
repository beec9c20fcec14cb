/**
 * Connects the gateway to a service, over a pool of connections or in the same process.
 *
 * The port is push-style, like undici's own dispatch: chunks go from one socket to the other with no stream
 * object in between, which dominates a gateway's cost per request.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Fault } from '@hindsight/kernel/errors.ts';
import type { UpstreamName } from '../domain/route-table.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /**
   * Names (lower-cased) and values in turn. The active trace is written into them; where nothing is traced,
   * the caller's own `traceparent` stays.
   */
  readonly headers: string[];
  /** Whole, as most bodies are small; or opened for each attempt to send it, and passed on as it comes. */
  readonly body: Buffer | (() => Readable) | null;
  /** Its answer has no end, and sends a sign of life at least every half minute. */
  readonly endless?: boolean;
}

/** Receives the answer. Exactly one of `end` and `fail` is called, last. */
export interface UpstreamSink {
  head(statusCode: number, headers: IncomingHttpHeaders): void;
  /** @returns false when the receiver is full; `resume()` of the exchange continues. */
  data(chunk: Buffer): boolean;
  end(): void;
  /** The upstream could not be reached, broke off or was cancelled. */
  fail(error: Error): void;
}

/** The upstream could not be reached: nothing of the request was sent, so it may be sent elsewhere. */
export class NeverSent extends Fault {}

/** It was not even sent: too many requests are under way and waiting. */
export class Overloaded extends NeverSent {}

export interface Exchange {
  resume(): void;
  /** Aborts the request; the upstream sees its client leave. Nothing but `fail` comes afterwards. */
  cancel(reason: Error): void;
}

export interface Upstream {
  /** There is no such service: every answer is a refusal, which costs one unit at most. */
  readonly refuses?: boolean;
  /** The caller decides on the longest wait for the answer. */
  dispatch(request: UpstreamRequest, sink: UpstreamSink): Exchange;
  close(): Promise<void>;
}

export type Upstreams = Readonly<Record<UpstreamName, Upstream>>;
