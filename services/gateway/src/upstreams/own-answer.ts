import { answerBody, errorBody } from '@hindsight/kernel/errors.ts';
import { dispatchWhole } from './gather.ts';
import type { Exchange, Upstream, UpstreamRequest, UpstreamSink } from './upstream.ts';

const REQUEST_ID = 'x-request-id';
/** Longer than any network's name. */
const MOST_SHOWN = 60;

/** Answers in place of a service that does not exist here. @param error code and message */
export function answerWithError(
  { headers }: UpstreamRequest,
  sink: UpstreamSink,
  ...error: Parameters<typeof errorBody>
): Exchange {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === REQUEST_ID);
  const answer = errorBody(...error);
  const body = Buffer.from(JSON.stringify(answerBody(answer, at < 0 ? '' : (headers[at + 1] ?? ''))));
  const own = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    'cache-control': 'no-store',
  };
  return dispatchWhole(sink, async () => ({ statusCode: answer.statusCode, headers: own, body }));
}

const NO_HOLDERS =
  'No token’s holders are indexed here; the operator of this server can have them indexed (HOLDERS_URL)';

/** Answers for the holders service where there is none: no token is indexed. */
export const ABSENT_HOLDERS: Upstream = {
  refuses: true,
  dispatch: (request, sink) => answerWithError(request, sink, 'not_indexed', NO_HOLDERS),
  close: async () => undefined,
};

/** The message of an `unknown_network`. @param served the names of all that are served */
export function notServed(name: string, served: Iterable<string>): string {
  return `The network ${name.slice(0, MOST_SHOWN)} is not served here; served: ${[...served].join(', ')}`;
}
