import { forbidden } from '@hindsight/kernel/errors.ts';
import { readBody } from '@hindsight/http/body.ts';
import type { IncomingMessage } from 'node:http';
import { declaredBytes } from '../domain/bulk-body.ts';
import { readCredentials } from '../domain/credentials.ts';
import { COST_HEADER, requestHeaders } from '../domain/headers.ts';
import type { PublicRoute } from '../domain/route-table.ts';
import type { DirectExchange } from '../upstreams/direct-routes.ts';
import { forward } from '../upstreams/forward.ts';
import type { UpstreamRequest } from '../upstreams/upstream.ts';
import { admit, entrantOf } from './admit.ts';
import { identify, identifyAgain, type Identification } from './authorize.ts';
import { unitsOf, type AuthorizedRequest } from './request.ts';
import { settleOpening } from './settlements/opening.ts';
import { settlePortions } from './settlements/portions.ts';
import type { PassDeps, Settlement } from './settlements/settlement.ts';
import { settleWhole } from './settlements/whole.ts';

/** The parts of the whole way. */
export interface IdentifyingPassDeps extends PassDeps {
  readonly authentication: Identification;
}

/** A client has this long to send the rest of a body that is not needed any more; it is dropped. */
const REST_WITHIN_MS = 15_000;

/** Passes a request on: authenticate → authorize → admit → forward → settle. Resolves when all of it is settled. */
export async function pass(
  deps: IdentifyingPassDeps,
  route: PublicRoute,
  endpoint: string,
  exchange: DirectExchange,
): Promise<void> {
  const { request, client, headers } = exchange;
  const { key, url } = readCredentials(request.url ?? '/', request.headers['x-api-key']);
  const { origin } = request.headers;
  const purpose = { scope: route.scope ?? 'read', address: client.address, origin };
  const project = await identify(deps.authentication, key, purpose);
  try {
    // Its key is public, and what is written reaches every consumer.
    if (route.writes && project.demo)
      throw forbidden('demo_read_only', 'The demo key may only read; send orders with a key of your own.');
    const bodyBytes = route.bulk === undefined ? 0 : declaredBytes(request.headers, route.bulk.maxBytes);
    const authorized: AuthorizedRequest = {
      ...{ route, endpoint, project, url, bodyBytes },
      identifyAgain: () => identifyAgain(deps.authentication, key ?? '', purpose),
    };
    await passAuthorized(deps, authorized, exchange).finally(() => {
      if (isStreamed(route) && !request.complete) endUnread(request);
    });
  } catch (error) {
    // A refusal costs nothing; a stream that was cut off names its cost itself.
    if (!headers.includes(COST_HEADER)) headers.push(COST_HEADER, '0');
    throw error;
  }
}

async function passAuthorized(
  deps: PassDeps,
  authorized: AuthorizedRequest,
  exchange: DirectExchange,
): Promise<void> {
  const { route, project } = authorized;
  const { request, bodyLimit } = exchange;
  const isStream = isStreamed(route);
  // Read only after authentication, and forwarded unparsed.
  const body =
    route.method === 'GET' || isStream ? null : await readBody(request, route.bulk?.maxBytes ?? bodyLimit);
  const { slots } = (route.endless && deps.endless) || (isStream && deps.streams) || {};
  const admitted = await admit(deps, project, entrantOf(exchange), unitsOf(authorized), slots);
  const settle = (route.endless && settleOpening) || (isStream && settlePortions) || settleWhole;
  const settlement = settle({ ...admitted, deps, authorized, exchange, body });
  let failure: unknown;
  try {
    const answer = settlement.remembered?.() ?? (await ask(deps, authorized, exchange, settlement));
    if (answer !== undefined) await settlement.settle(answer);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    await settlement.end(failure);
    admitted.leave();
  }
}

/** Its body and its answer pass at the same time. */
function isStreamed({ bulk }: PublicRoute): boolean {
  return bulk?.streams === true;
}

function ask(
  { upstreamTimeoutMs: timeoutMs }: PassDeps,
  { route, project, url: path }: AuthorizedRequest,
  { request, response, id: requestId, client }: DirectExchange,
  { upstream, body, endless = false, knownTags, stream }: Settlement,
): ReturnType<typeof forward> {
  const { id: projectId, plan } = project;
  const withBody = body !== null;
  const headers = requestHeaders(request.headers, {
    requestId,
    projectId,
    plan,
    client,
    knownTags,
    withBody,
  });
  const forwarded: UpstreamRequest = { method: request.method ?? route.method, path, headers, body, endless };
  const asking = { response, writes: route.writes ?? false, timeoutMs };
  return forward(upstream, forwarded, stream === undefined ? asking : { ...asking, stream });
}

/** Drains the unread body of an answered request, but not for ever: a client that still sends would be reset. */
function endUnread(request: IncomingMessage): void {
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), REST_WITHIN_MS);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}
