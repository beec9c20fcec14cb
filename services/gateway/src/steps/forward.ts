import { ApiError, gatewayTimeout, unavailable } from '@hindsight/shared/errors.ts';
import {
  Overloaded,
  type Exchange,
  type Upstream,
  type UpstreamRequest,
  type UpstreamSink,
} from '@hindsight/shared/http/upstream.ts';
import type { ServerResponse } from 'node:http';
import { addAnswerHeaders } from '../domain/headers.ts';

/** Seconds after which a client may try again when a service is away. */
const RETRY_AFTER_SECONDS = 2;

/** So much of an answer is taken while it is being settled; a longer one waits at its service. */
const HELD_BYTES = 64 * 1024;

/** What an answer is sent on with. */
export interface Answering {
  readonly response: ServerResponse;
  /** Of the gateway's own, names and values in turn; the service's are added. */
  readonly headers: string[];
  /** Milliseconds that the service has to begin its answer, be it asked or waited for. */
  readonly timeoutMs: number;
  readonly settlement: {
    /** Told the status before anything goes out; what it promises is waited for. */
    answered(statusCode: number): Promise<void> | undefined;
  };
}

/**
 * Sends the request on and the answer back, chunk by chunk. Resolves when the answer is complete, or when the client
 * has left, which cancels the upstream; at once for a client who has left already.
 * @throws {ApiError} 503 or 504 where the service gave no answer and nothing has been sent to the client yet
 */
export function forward(upstream: Upstream, request: UpstreamRequest, answering: Answering): Promise<void> {
  // Its `close` has been: nothing would end the exchange, and what it was admitted with would be held.
  if (answering.response.destroyed) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const relay = new Relay(answering, resolve, reject);
    relay.follow(upstream.dispatch(request, relay));
  });
}

/** How far the answer of the service has come. */
type Progress = 'running' | 'complete' | 'broken';

class Relay implements UpstreamSink {
  readonly #answering: Answering;
  readonly #response: ServerResponse;
  readonly #resolve: () => void;
  readonly #reject: (error: ApiError) => void;
  #exchange: Exchange | undefined;
  #late: NodeJS.Timeout | undefined;
  /** Nobody waits for the answer any more. */
  #givenUp = false;
  #status = 0;
  #incoming: Parameters<UpstreamSink['head']>[1] = {};
  #progress: Progress = 'running';
  /** What came while the answer is being settled. */
  #held: Buffer[] | undefined;
  #heldBytes = 0;

  constructor(answering: Answering, resolve: () => void, reject: (error: ApiError) => void) {
    this.#answering = answering;
    this.#response = answering.response;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  follow(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#late = setTimeout(
      () => this.#giveUp(gatewayTimeout('The service did not answer in time.')),
      this.#answering.timeoutMs,
    );
    this.#response.once('close', () => {
      clearTimeout(this.#late);
      if (!this.#response.writableFinished) {
        this.#givenUp = true;
        exchange.cancel(new Error('the client left'));
      }
      this.#resolve();
    });
  }

  head(statusCode: number, incoming: Parameters<UpstreamSink['head']>[1]): void {
    if (this.#response.destroyed) return;
    clearTimeout(this.#late);
    this.#status = statusCode;
    this.#incoming = incoming;
    const settled = this.#answering.settlement.answered(statusCode);
    if (settled === undefined) {
      this.#writeHead();
      return;
    }
    this.#held = [];
    settled.then(
      () => this.#letGo(),
      (error: unknown) => this.#giveUp(error instanceof ApiError ? error : toPublic(error as Error)),
    );
  }

  data(chunk: Buffer): boolean {
    if (this.#held === undefined) {
      const room = this.#response.write(chunk);
      if (!room) this.#resumeAtDrain();
      return room;
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes < HELD_BYTES;
  }

  end(): void {
    this.#progress = 'complete';
    if (this.#held === undefined) this.#response.end();
  }

  fail(error: Error): void {
    if (this.#givenUp) return;
    clearTimeout(this.#late);
    this.#progress = 'broken';
    if (this.#held !== undefined) return;
    // Half an answer cannot be taken back: ending the connection is the only way to say that it is not whole.
    if (this.#response.headersSent) this.#response.destroy();
    else this.#reject(toPublic(error));
  }

  #writeHead(): void {
    const { headers } = this.#answering;
    addAnswerHeaders(headers, this.#incoming);
    this.#response.writeHead(this.#status, headers);
  }

  #resumeAtDrain(): void {
    this.#response.once('drain', () => this.#exchange?.resume());
  }

  /** What was held goes out, and the rest as it comes. */
  #letGo(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (this.#response.destroyed) return;
    this.#writeHead();
    if (this.#progress === 'complete' && held.length < 2) {
      this.#response.end(held[0]);
      return;
    }
    let room = true;
    for (const chunk of held) room = this.#response.write(chunk);
    if (this.#progress === 'complete') this.#response.end();
    else if (this.#progress === 'broken') this.#response.destroy();
    else if (room) this.#exchange?.resume();
    else this.#resumeAtDrain();
  }

  /** Nothing of it goes out. */
  #giveUp(error: ApiError): void {
    this.#givenUp = true;
    this.#exchange?.cancel(error);
    this.#reject(error);
  }
}

function toPublic(error: Error): ApiError {
  const overloaded = error instanceof Overloaded;
  const message = overloaded
    ? 'Too many requests wait for this service.'
    : 'The service cannot be reached at the moment.';
  return unavailable(message, RETRY_AFTER_SECONDS, error);
}
