import { forbidden } from '@hindsight/kernel/errors.ts';
import { readBody } from '@hindsight/http/body.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import type { IncomingMessage } from 'node:http';
import { declaredBytes } from './bulk-body.ts';
import { readCredentials } from '../domain/credentials.ts';
import { requestHeaders } from '../domain/headers.ts';
import type { RateLimitStatus } from '../limits/rate-limit-status.ts';
import { lastingKindOf, type PassedOperation } from '../domain/route-table.ts';
import type { DirectExchange } from '../upstreams/direct-routes.ts';
import { forward } from '../upstreams/forward.ts';
import type { UpstreamRequest } from '../upstreams/upstream.ts';
import { admit, checkBurst, entrantOf, refusalHeaders } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { authorizeUse, identifyAgain } from './authorize.ts';
import { mostUnitsOf, type AuthorizedRequest } from './request.ts';
import { settleLong } from './settlements/long.ts';
import { settleOpening } from './settlements/opening.ts';
import { settlePortions } from './settlements/portions.ts';
import type { PassDeps, Settlement } from './settlements/settlement.ts';
import { settleWhole } from './settlements/whole.ts';

const SETTLE = { endless: settleOpening, streams: settlePortions, lists: settleLong } as const;

/** A client has this long to send the rest of a body that is not needed any more; it is dropped. */
const REST_WITHIN_MS = 15_000;

/** Passes a request on: authenticate → authorize → admit → forward → settle. Resolves when all of it is settled. */
export async function pass(
  deps: PassDeps,
  operation: PassedOperation,
  endpoint: string,
  exchange: DirectExchange,
): Promise<void> {
  const { request, response, client, headers } = exchange;
  const { bulk } = operation;
  if (bulk?.streams) response.once('close', () => endUnread(request));
  const { key, url } = readCredentials(request.url ?? '/', request.headers['x-api-key']);
  const { origin } = request.headers;
  const purpose = { scope: operation.scope ?? 'read', address: client.address, origin };
  const project = await authenticate(deps.authentication, key, client.address);
  try {
    authorizeUse(deps.authentication, project, purpose);
    // Its key is public, and what is written reaches every consumer.
    if (operation.writes && project.demo)
      throw forbidden('demo_read_only', 'The demo key may only read; send orders with a key of your own.');
    const bodyBytes = bulk === undefined ? 0 : declaredBytes(request.headers, bulk.maxBytes);
    const authorized: AuthorizedRequest = {
      operation,
      endpoint,
      project,
      url,
      bodyBytes,
      identifyAgain: () => identifyAgain(deps.authentication, key ?? '', purpose),
    };
    await passAuthorized(deps, authorized, exchange);
  } catch (error) {
    // A stream that was cut off names its cost itself.
    for (const [name, value] of Object.entries(refusalHeaders(deps, project, error)))
      if (!headers.includes(name)) headers.push(name, value);
    throw error;
  }
}

/** Not async itself: most requests have no body, and save a promise. @throws {ApiError} */
function passAuthorized(
  deps: PassDeps,
  authorized: AuthorizedRequest,
  exchange: DirectExchange,
): Promise<void> {
  const { method, bulk } = authorized.operation;
  // Before the body: what is held of bodies that come slowly is bounded by it.
  const status = checkBurst(deps, authorized.project, entrantOf(exchange));
  if (method === 'GET' || bulk?.streams)
    return passWithBody(deps, authorized, exchange, { status, body: null });
  return readAndPass(deps, authorized, exchange, status);
}

async function readAndPass(
  deps: PassDeps,
  authorized: AuthorizedRequest,
  exchange: DirectExchange,
  status: RateLimitStatus,
): Promise<void> {
  const { operation, project, bodyBytes } = authorized;
  const { request, bodyLimit } = exchange;
  const giveBack = deps.bodies.take(holderOf(project), bodyBytes, status.headers());
  try {
    // Forwarded unparsed.
    const body = await readBody(request, operation.bulk?.maxBytes ?? bodyLimit);
    await passWithBody(deps, authorized, exchange, { status, body });
  } finally {
    giveBack();
  }
}

/** @param received within the burst limits */
async function passWithBody(
  deps: PassDeps,
  authorized: AuthorizedRequest,
  exchange: DirectExchange,
  { status, body }: { readonly status: RateLimitStatus; readonly body: Buffer | null },
): Promise<void> {
  const { operation, project } = authorized;
  const kind = lastingKindOf(operation);
  const upstream = deps.upstreams[operation.service];
  const most = upstream.refuses ? 1 : mostUnitsOf(authorized);
  const entry = { project, address: exchange.client.address, status };
  const admitted = await admit(deps, entry, most, kind && deps[kind].slots);
  const settle = kind === undefined ? settleWhole : SETTLE[kind];
  const settlement = settle({ ...admitted, deps, authorized, exchange, body, upstream });
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

function ask(
  { upstreamTimeoutMs: timeoutMs, unread }: PassDeps,
  { operation, project, url: path }: AuthorizedRequest,
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
  const forwarded: UpstreamRequest = {
    method: request.method ?? operation.method,
    path,
    headers,
    body,
    endless,
  };
  // The readers of those that last are bounded by their slots.
  const keepUnread =
    lastingKindOf(operation) === undefined ? (): void => unread.keep(holderOf(project), response) : undefined;
  const asking = { response, writes: operation.writes ?? false, timeoutMs, keepUnread, stream };
  return forward(upstream, forwarded, asking);
}

/** The holder whose bodies and unread answers share a bound. All visitors of the demo are one: addresses are cheap, and others need room. */
function holderOf({ id, ownerId }: FoundByKey): string {
  return ownerId ?? id;
}

/** Drains the unread body of an answered request, but not for ever: a client that still sends would be reset. */
function endUnread(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), REST_WITHIN_MS);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}
