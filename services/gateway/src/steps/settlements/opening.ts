import { COST_HEADER } from '../../domain/headers.ts';
import type { End } from '../../limits/open-streams.ts';
import { settle } from '../settle.ts';
import type { Passage, Settlement } from './settlement.ts';

/** Its client then opens it again after its last event, and pays for that: no stream is held for good. */
const LIFETIME_MS = 15 * 60_000;

/** Settles an answer without end when it begins, and watches it until one side has left, or it is ended. */
export function settleOpening(passage: Passage): Settlement {
  const { deps, authorized, exchange, upstream, admission, status } = passage;
  const { response, headers } = exchange;
  const { project, identifyAgain } = authorized;
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  let isSettled = false;
  return {
    upstream,
    body: null,
    endless: true,
    async settle(answer) {
      isSettled = true;
      const cost = await settle(passage, answer);
      status.note(admission, cost);
      answer.send([...headers, ...status.rawHeaders(), COST_HEADER, String(cost)], () => undefined);
      // Its client has the end of the answer, and opens it again, here or elsewhere.
      const end = (why: End): void => {
        answer.discard(new Error(`the stream was ended: ${why}`));
        response.end();
      };
      const unwatch = deps.endless.open.enter({ project, identifyAgain, lifetimeMs: LIFETIME_MS, end });
      await closed.finally(unwatch);
    },
    end() {
      if (!isSettled) deps.quota.done(admission, 0);
    },
  };
}
