import { gatewayTimeout, unavailable, type ApiError } from '@hindsight/shared/errors.ts';
import type { Exchange, Upstream, UpstreamRequest, UpstreamSink } from '@hindsight/shared/http/upstream.ts';
import type { ServerResponse } from 'node:http';
import { responseHeaders } from '../domain/headers.ts';

/** Seconds after which a client may try again when a service is away. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Sends the request on and the answer back, chunk by chunk. Resolves when the answer is complete, or when the client
 * has left, which cancels the upstream.
 * @throws {ApiError} 503 or 504 where the service gave no answer and nothing has been sent to the client yet
 */
export function forward(
  upstream: Upstream,
  request: UpstreamRequest,
  response: ServerResponse,
  requestId: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const relay = new Relay(response, requestId, resolve, reject);
    relay.follow(upstream.dispatch(request, relay));
  });
}

class Relay implements UpstreamSink {
  readonly #response: ServerResponse;
  readonly #requestId: string;
  readonly #resolve: () => void;
  readonly #reject: (error: ApiError) => void;
  #clientLeft = false;

  constructor(
    response: ServerResponse,
    requestId: string,
    resolve: () => void,
    reject: (error: ApiError) => void,
  ) {
    this.#response = response;
    this.#requestId = requestId;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  follow(exchange: Exchange): void {
    this.#response.on('drain', () => exchange.resume());
    this.#response.once('close', () => {
      this.#clientLeft = !this.#response.writableFinished;
      if (this.#clientLeft) exchange.cancel(new Error('the client left'));
      this.#resolve();
    });
  }

  head(statusCode: number, incoming: Parameters<UpstreamSink['head']>[1]): void {
    if (this.#response.destroyed) return;
    const headers = responseHeaders(incoming);
    headers['x-request-id'] = this.#requestId;
    this.#response.writeHead(statusCode, headers);
  }

  data(chunk: Buffer): boolean {
    return this.#response.write(chunk);
  }

  end(): void {
    this.#response.end();
  }

  fail(error: Error): void {
    if (this.#clientLeft) return;
    // Half an answer cannot be taken back: ending the connection is the only way to say that it is not whole.
    if (this.#response.headersSent) this.#response.destroy();
    else this.#reject(toPublic(error));
  }
}

function toPublic(error: Error & { code?: string }): ApiError {
  const slow = error.code === 'UND_ERR_HEADERS_TIMEOUT' || error.code === 'UND_ERR_BODY_TIMEOUT';
  if (slow) return gatewayTimeout('The service did not answer in time.', error);
  return unavailable('The service cannot be reached at the moment.', RETRY_AFTER_SECONDS, error);
}
