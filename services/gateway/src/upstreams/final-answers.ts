/**
 * Caches answers that can never change: the next request for one is answered without its service. It is
 * admitted, counted and limited as if it had been forwarded.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { answerHeaders } from '../domain/headers.ts';
import type { WholeAnswer } from './forward.ts';

/** Properties of a request that select its answer, besides its URL. */
export interface AskedFor {
  readonly method: string | undefined;
  /** Without the key. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Services receive the plan, and may answer by it. */
  readonly plan: string;
}

interface FinalAnswer {
  readonly units: number | undefined;
  /** Names and values in turn, without those that differ by answer. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** Longer answers are not cached: they would displace many short ones. */
const MAX_BODY_BYTES = 16 * 1024;
/**
 * An answer is forwarded again after this time, so that a new version of a service is not hidden for long.
 */
const MAX_AGE_MS = 10 * 60_000;
/** The memory of an answer in addition to its body and its texts, and of each text in addition to its characters. */
const OVERHEAD_BYTES = 500;
const TEXT_OVERHEAD_BYTES = 24;
/** With these headers a client requests something else than the answer. */
const CONDITIONS = ['if-none-match', 'if-modified-since', 'if-match', 'if-range', 'range'] as const;

/** The cached answers of one gateway; the least recently used ones are evicted. */
export class FinalAnswers {
  /** Requests that were answered from memory. */
  hits = 0;
  readonly #kept: LRUCache<string, FinalAnswer>;

  /** @param maxBytes the memory of all of them */
  constructor(maxBytes: number) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      ttl: MAX_AGE_MS,
      // The clock is read at each search. By default a reading is used again until a timer of 1 ms fires, which is late under load.
      ttlResolution: 0,
      sizeCalculation: ({ body, headers }, key) =>
        headers.reduce((sum, text) => sum + text.length + TEXT_OVERHEAD_BYTES, key.length) +
        body.length +
        OVERHEAD_BYTES,
    });
  }

  find(asked: AskedFor, response: ServerResponse): RememberedAnswer | undefined {
    const key = keyOf(asked);
    const kept = key === undefined ? undefined : this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.hits += 1;
    return new RememberedAnswer(kept, response);
  }

  /**
   * Caches a service's answer if it is final: a short 200 that its service marks immutable.
   * @param signTag turns a service's entity tag into the one for clients
   */
  keep(
    asked: AskedFor,
    { headers, body, units }: WholeAnswer,
    signTag: (tag: string) => string | undefined,
  ): void {
    if (body.length > MAX_BODY_BYTES || !isFinal(headers)) return;
    const key = keyOf(asked);
    if (key === undefined) return;
    // A real copy: received chunks are parts of larger buffers, and so are the results of `Buffer.from`.
    this.#kept.set(key, { units, headers: answerHeaders([], headers, signTag), body: new Uint8Array(body) });
  }
}

/** A cached answer on its way to one client: it is settled and sent like a service's. */
export class RememberedAnswer {
  readonly statusCode = 200;
  readonly #kept: FinalAnswer;
  readonly #response: ServerResponse;

  constructor(kept: FinalAnswer, response: ServerResponse) {
    this.#kept = kept;
    this.#response = response;
  }

  get units(): number | undefined {
    return this.#kept.units;
  }

  discard(): void {
    // Nothing is under way.
  }

  /** @param headers the gateway's own, names and values in turn */
  send(headers: readonly string[]): void {
    if (this.#response.destroyed) return;
    this.#response.writeHead(this.statusCode, [...headers, ...this.#kept.headers]);
    this.#response.end(this.#kept.body);
  }
}

/** `Vary` of a final answer names Accept-Encoding at the most: see `isFinal`. */
function keyOf({ method, url, headers, plan }: AskedFor): string | undefined {
  if (method !== 'GET' || CONDITIONS.some((name) => headers[name] !== undefined)) return undefined;
  return `${plan} ${headers['accept-encoding'] ?? ''} ${url}`;
}

function isFinal({ 'cache-control': lifetime = '', vary = 'accept-encoding' }: IncomingHttpHeaders): boolean {
  return vary.toLowerCase() === 'accept-encoding' && /\bimmutable\b/.test(lifetime);
}
