/** One HTTP request to a node: collects the answer, within a size and a time. */
import type { Dispatcher } from 'undici';
import { NodeError } from './node-error.ts';

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
  { label, maxBytes, timeoutMs, signal }: ExchangeOptions,
): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  let controller: Dispatcher.DispatchController | undefined;
  let failure: Error | undefined;
  let chunks: Buffer[] = [];
  let [size, status] = [0, 0];
  let retryAfterMs: number | undefined;
  const release = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  const fail = (error: Error): void => {
    if (failure) return;
    failure = error;
    chunks = [];
    release();
    reject(error);
    controller?.abort(error);
  };
  const onAbort = (): void =>
    fail(signal?.reason instanceof Error ? signal.reason : new Error('abandoned by the caller'));
  const onTimeout = (): void =>
    fail(new NodeError('timeout', `${label} did not answer within ${Math.round(timeoutMs)} ms`));
  const failTooLarge = (): void =>
    fail(new NodeError('malformed', `${label} answered more than ${maxBytes} bytes`, { tooLarge: true }));
  const timer = setTimeout(onTimeout, timeoutMs);
  if (signal?.aborted) {
    onAbort();
    return promise;
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  dispatcher.dispatch(
    { ...request, headersTimeout: 0, bodyTimeout: 0 },
    {
      onRequestStart(begun) {
        controller = begun;
        if (failure) begun.abort(failure);
      },
      onResponseStart(_controller, statusCode, headers) {
        status = statusCode;
        retryAfterMs = readRetryAfter(headers['retry-after']);
        if (Number(headers['content-length']) > maxBytes) failTooLarge();
      },
      onResponseData(_controller, chunk: Buffer) {
        size += chunk.length;
        if (size > maxBytes) failTooLarge();
        else chunks.push(chunk);
      },
      onResponseEnd() {
        if (failure) return;
        release();
        const text = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString();
        resolve({ status, text, retryAfterMs });
      },
      onResponseError(_controller, error: Error & { code?: string }) {
        // Its code or name only: the message might quote the URL.
        const what = `${label} could not be reached: ${error.code ?? error.name}`;
        fail(new NodeError('unreachable', what, { cause: error }));
      },
    },
  );
  return promise;
}

/** `Retry-After` as seconds or as a date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
