/** Collects the whole of a service's answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange, Upstream, UpstreamRequest, UpstreamSink } from './upstream.ts';

export interface GatheredAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** More than an answer of 1,000 rows takes. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Asks for a whole answer.
 * @throws the signal's reason once it is aborted; what the upstream fails with
 */
export async function gather(
  upstream: Upstream,
  request: UpstreamRequest,
  signal: AbortSignal,
): Promise<GatheredAnswer> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<GatheredAnswer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let begun: Omit<GatheredAnswer, 'body'> = { statusCode: 0, headers: {} };
  const opened: { exchange?: Exchange } = {};
  const stop = (error: Error): void => {
    reject(error);
    opened.exchange?.cancel(error);
  };
  opened.exchange = upstream.dispatch(request, {
    head: (statusCode, headers) => (begun = { statusCode, headers }),
    data(chunk) {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES) chunks.push(chunk);
      else stop(new Error(`the answer has more than ${MAX_BYTES} bytes`));
      return true;
    },
    end: () => resolve({ ...begun, body: Buffer.concat(chunks) }),
    fail: reject,
  });
  const leave = (): void => stop(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', leave));
}

/** Answers with what is made as a whole. @param make gets a signal that is aborted once its client has left */
export function dispatchWhole(
  sink: UpstreamSink,
  make: (left: AbortSignal) => Promise<GatheredAnswer>,
): Exchange {
  const left = new AbortController();
  make(left.signal)
    .then(({ statusCode, headers, body }) => {
      left.signal.throwIfAborted();
      sink.head(statusCode, headers);
      sink.data(body);
      sink.end();
    })
    .catch((error: unknown) => sink.fail(error as Error));
  return { resume: () => undefined, cancel: (reason) => left.abort(reason) };
}
