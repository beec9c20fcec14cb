import { ApiError, gatewayTimeout, unavailable } from '@hindsight/shared/errors.ts';
import type { Exchange, Upstream, UpstreamRequest, UpstreamSink } from '@hindsight/shared/http/upstream.ts';
import type { ServerResponse } from 'node:http';
import { responseHeaders } from '../domain/headers.ts';

/** Seconds after which a client may try again when a service is away. */
const RETRY_AFTER_SECONDS = 2;

/** What an answer is sent on with. */
export interface Answering {
  readonly response: ServerResponse;
  /** Of the gateway's own. */
  readonly headers: Readonly<Record<string, string>>;
  /** Told the status before anything goes out; what it promises is waited for. */
  settle(statusCode: number): Promise<void> | undefined;
}

/**
 * Sends the request on and the answer back, chunk by chunk. Resolves when the answer is complete, or when the client
 * has left, which cancels the upstream.
 * @throws {ApiError} 503 or 504 where the service gave no answer and nothing has been sent to the client yet
 */
export function forward(upstream: Upstream, request: UpstreamRequest, answering: Answering): Promise<void> {
  return new Promise((resolve, reject) => {
    const relay = new Relay(answering, resolve, reject);
    relay.follow(upstream.dispatch(request, relay));
  });
}

class Relay implements UpstreamSink {
  readonly #answering: Answering;
  readonly #response: ServerResponse;
  readonly #resolve: () => void;
  readonly #reject: (error: ApiError) => void;
  #exchange: Exchange | undefined;
  #clientLeft = false;
  /** What came while the answer is being settled, in order. */
  #held: (() => void)[] | undefined;

  constructor(answering: Answering, resolve: () => void, reject: (error: ApiError) => void) {
    this.#answering = answering;
    this.#response = answering.response;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  follow(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#response.on('drain', () => exchange.resume());
    this.#response.once('close', () => {
      this.#clientLeft = !this.#response.writableFinished;
      if (this.#clientLeft) exchange.cancel(new Error('the client left'));
      this.#resolve();
    });
  }

  head(statusCode: number, incoming: Parameters<UpstreamSink['head']>[1]): void {
    if (this.#response.destroyed) return;
    const headers = Object.assign(responseHeaders(incoming), this.#answering.headers);
    const settled = this.#answering.settle(statusCode);
    if (settled === undefined) {
      this.#response.writeHead(statusCode, headers);
      return;
    }
    this.#held = [() => void this.#response.writeHead(statusCode, headers)];
    settled.then(
      () => this.#letGo(),
      (error: unknown) => this.#refuse(error),
    );
  }

  data(chunk: Buffer): boolean {
    if (this.#held === undefined) return this.#response.write(chunk);
    this.#held.push(() => void this.#response.write(chunk));
    return false;
  }

  end(): void {
    if (this.#held === undefined) this.#response.end();
    else this.#held.push(() => void this.#response.end());
  }

  fail(error: Error): void {
    if (this.#clientLeft) return;
    // Half an answer cannot be taken back: ending the connection is the only way to say that it is not whole.
    if (this.#held !== undefined) this.#held.push(() => void this.#response.destroy());
    else if (this.#response.headersSent) this.#response.destroy();
    else this.#reject(toPublic(error));
  }

  #letGo(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (this.#response.destroyed) return;
    for (const send of held) send();
    if (!this.#response.writableNeedDrain) this.#exchange?.resume();
  }

  /** Nothing of it goes out. */
  #refuse(error: unknown): void {
    this.#clientLeft = true;
    this.#exchange?.cancel(new Error('the answer cannot be recorded'));
    this.#reject(error instanceof ApiError ? error : toPublic(error as Error));
  }
}

function toPublic(error: Error & { code?: string }): ApiError {
  const slow = error.code === 'UND_ERR_HEADERS_TIMEOUT' || error.code === 'UND_ERR_BODY_TIMEOUT';
  if (slow) return gatewayTimeout('The service did not answer in time.', error);
  return unavailable('The service cannot be reached at the moment.', RETRY_AFTER_SECONDS, error);
}
