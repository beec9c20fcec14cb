import { answerWithError } from './own-answer.ts';
import type { Upstream } from './upstream.ts';

const MESSAGE =
  'No token’s holders are indexed here; the operator of this server can have them indexed (HOLDERS_URL)';

/** Answers for the holders service where there is none: no token is indexed. */
export const ABSENT_HOLDERS: Upstream = {
  refuses: true,
  dispatch: (request, sink) => answerWithError(request, sink, 'not_indexed', MESSAGE),
  close: async () => undefined,
};
