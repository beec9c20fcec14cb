import { answerBody, errorBody, type ErrorBody } from '@hindsight/kernel/errors.ts';
import type { Exchange, UpstreamRequest, UpstreamSink } from './upstream.ts';

const REQUEST_ID = 'x-request-id';
/** Longer than any network's name. */
const MOST_SHOWN = 60;

/** Answers in the place of a service that there is not. @param error code and message */
export function answerWithError(
  { headers }: UpstreamRequest,
  sink: UpstreamSink,
  ...error: Parameters<typeof errorBody>
): Exchange {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === REQUEST_ID);
  const answer: ErrorBody = errorBody(...error);
  const body = Buffer.from(JSON.stringify(answerBody(answer, at < 0 ? '' : (headers[at + 1] ?? ''))));
  // As any other answer, once the caller has its exchange.
  setImmediate(() => {
    sink.head(answer.statusCode, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
    });
    sink.data(body);
    sink.end();
  });
  return { resume: () => undefined, cancel: () => undefined };
}

/** The message of an `unknown_network`. @param served the names of all that are served */
export function notServed(name: string, served: Iterable<string>): string {
  return `The network ${name.slice(0, MOST_SHOWN)} is not served here; served: ${[...served].join(', ')}`;
}
