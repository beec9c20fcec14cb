import { answerBody, errorBody } from '@hindsight/kernel/errors.ts';
import type { Upstream } from './upstream.ts';

const REQUEST_ID = 'x-request-id';

/** Answers for the holders service where there is none: no token is indexed. */
export const ABSENT_HOLDERS: Upstream = {
  dispatch({ headers }, sink) {
    const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === REQUEST_ID);
    const error = errorBody(
      'not_indexed',
      'No token’s holders are indexed here; the operator of this server can have them indexed (HOLDERS_URL)',
    );
    const body = Buffer.from(JSON.stringify(answerBody(error, at < 0 ? '' : (headers[at + 1] ?? ''))));
    // As any other answer, once the caller has its exchange.
    setImmediate(() => {
      sink.head(error.statusCode, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(body.length),
      });
      sink.data(body);
      sink.end();
    });
    return { resume: () => undefined, cancel: () => undefined };
  },
  close: async () => undefined,
};
