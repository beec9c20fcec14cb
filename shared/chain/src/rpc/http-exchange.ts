/** One HTTP request to a node: collects the answer, within a size and a time. */
import type { Dispatcher } from 'undici';
import { NodeError } from './node-error.ts';

/** A complete HTTP answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** The server's wish, in milliseconds, where it has one. */
  readonly retryAfterMs: number | undefined;
}

interface ExchangeOptions {
  readonly label: string;
  /** Largest answer in bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request and collects its answer. Compression is neither requested nor supported.
 * @throws {NodeError} `unreachable`, `timeout`, or `malformed` where the answer is too large; the signal's reason when aborted
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  options: ExchangeOptions,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(options, resolve, reject);
    if (handler.begin()) dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #status = 0;
  #retryAfterMs: number | undefined;
  #failure: Error | undefined;
  #release: () => void = () => undefined;

  constructor(
    options: ExchangeOptions,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: Error) => void,
  ) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Bounds the exchange in time and ties it to the caller's signal. False if that has been aborted already. */
  begin(): boolean {
    const { label, timeoutMs, signal } = this.#options;
    const onAbort = (): void =>
      this.#fail(signal?.reason instanceof Error ? signal.reason : new Error('abandoned by the caller'));
    if (signal?.aborted) {
      onAbort();
      return false;
    }
    const timer = setTimeout(
      () =>
        this.#fail(new NodeError('timeout', `${label} did not answer within ${Math.round(timeoutMs)} ms`)),
      timeoutMs,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    return true;
  }

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#chunks = [];
    this.#release();
    this.#reject(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = statusCode;
    this.#retryAfterMs = readRetryAfter(headers['retry-after']);
    if (Number(headers['content-length']) > this.#options.maxBytes) this.#failTooLarge();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#failure) return;
    this.#size += chunk.length;
    if (this.#size > this.#options.maxBytes) this.#failTooLarge();
    else this.#chunks.push(chunk);
  }

  #failTooLarge(): void {
    const { label, maxBytes } = this.#options;
    this.#fail(new NodeError('malformed', `${label} answered more than ${maxBytes} bytes`));
  }

  onResponseEnd(): void {
    if (this.#failure) return;
    this.#release();
    const text = this.#chunks.length === 1 ? String(this.#chunks[0]) : Buffer.concat(this.#chunks).toString();
    this.#resolve({ status: this.#status, text, retryAfterMs: this.#retryAfterMs });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    // Its code or name only: the message might quote the URL.
    const what = `${this.#options.label} could not be reached: ${error.code ?? error.name}`;
    this.#fail(new NodeError('unreachable', what, { cause: error }));
  }
}

/** `Retry-After` as seconds or as a date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
