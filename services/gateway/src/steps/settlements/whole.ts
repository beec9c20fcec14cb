import { COST_HEADER } from '../../domain/headers.ts';
import type { AskedFor } from '../../upstreams/final-answers.ts';
import { settle } from '../settle.ts';
import type { Passage, Settlement } from './settlement.ts';

/** Settles an answer before it goes out. Final answers are remembered. */
export function settleWhole(passage: Passage): Settlement {
  const { deps, authorized, exchange, upstream, body, admission, status, giveBack } = passage;
  const { request, response, headers } = exchange;
  const { project, url } = authorized;
  const askedFor: AskedFor = { method: request.method, url, headers: request.headers, plan: project.plan };
  const signTag = (tag: string): string | undefined => deps.tags.sign(url, tag);
  let isSettled = false;
  let cost = 0;
  return {
    upstream,
    body,
    knownTags: deps.tags.known(url, request.headers['if-none-match']),
    remembered: () => deps.finalAnswers.find(askedFor, response),
    async settle(answer) {
      isSettled = true;
      cost = await settle(passage, answer);
      status.note(admission, cost);
      const own = [...headers, ...status.rawHeaders(), COST_HEADER, String(cost)];
      const whole = 'whole' in answer ? answer.whole : undefined;
      if (whole) deps.finalAnswers.keep(askedFor, whole, signTag);
      answer.send(own, signTag);
    },
    end() {
      if (!isSettled) deps.quota.done(admission, 0);
      giveBack(admission.units - Math.max(cost, 1));
    },
  };
}
