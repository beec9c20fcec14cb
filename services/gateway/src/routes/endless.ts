/** A request whose answer has no end. */
import { COST_HEADER, requestHeaders } from '../domain/headers.ts';
import { admit } from '../steps/admit.ts';
import type { End } from '../limits/open-streams.ts';
import { forward, type Answer } from '../upstreams/forward.ts';
import { settle } from '../steps/settle.ts';
import type { DirectExchange } from '../upstreams/direct-routes.ts';
import { entrantOf, unitsOf, type Asked, type PassDeps } from './asked.ts';

/** Its client then opens it again behind its last event, and pays for that: no stream is held for good. */
const LIFETIME_MS = 15 * 60_000;

/** admit → forward → settle when it begins; resolves when one side has left, or it was ended. */
export async function passEndless(deps: PassDeps, asked: Asked, exchange: DirectExchange): Promise<void> {
  const { request, response, id: requestId, client, headers } = exchange;
  const { route, endpoint, project, url } = asked;
  const { id: projectId, plan, key } = project;
  const { slots, open } = deps.endless;
  const { admission, status, leave } = await admit(deps, project, entrantOf(exchange), unitsOf(asked), slots);
  let answer: Answer | undefined;
  let unwatch = (): void => undefined;
  // Its client has the end of the answer, and opens it again, here or elsewhere.
  const end = (why: End): void => {
    answer?.discard(new Error(`the stream was ended: ${why}`));
    response.end();
  };
  try {
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const sent = requestHeaders(request.headers, { requestId, projectId, plan, client, withBody: false });
    const method = request.method ?? route.method;
    const forwarded = { method, path: url, headers: sent, body: null, endless: true };
    const timeoutMs = deps.upstreamTimeoutMs;
    answer = await forward(deps.upstreams[route.service], forwarded, { response, writes: false, timeoutMs });
    if (answer === undefined) return;
    const cost = await settle(deps, admission, { projectId, key: key.id, endpoint }, answer);
    status.note(admission, cost);
    answer.send([...headers, ...status.rawHeaders(), COST_HEADER, String(cost)], () => undefined);
    unwatch = open.enter({ project, identifyAgain: asked.identifyAgain, lifetimeMs: LIFETIME_MS, end });
    await closed;
  } finally {
    unwatch();
    if (answer === undefined) deps.quota.done(admission, 0);
    leave();
  }
}
