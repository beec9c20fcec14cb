import { forbidden } from '@hindsight/kernel/errors.ts';
import { readBody } from '@hindsight/http/body.ts';
import { CORS_HEADERS } from '../domain/cors.ts';
import { readCredentials } from '../domain/credentials.ts';
import { requestHeaders } from '../domain/headers.ts';
import type { EntityTags } from '../entity-tags.ts';
import { endpointOf, PUBLIC_ROUTES, type PublicRoute } from '../domain/route-table.ts';
import type { Upstreams } from '../ports.ts';
import { admit, type AdmitDeps } from '../steps/admit.ts';
import { authenticate, type Authentication } from '../steps/authenticate.ts';
import { forward, type Answer } from '../steps/forward.ts';
import { settle } from '../steps/settle.ts';
import type { DirectExchange, DirectRoute } from '../upstreams/direct-routes.ts';

export interface PublicApiDeps extends AdmitDeps {
  readonly authentication: Authentication;
  readonly upstreams: Upstreams;
  readonly tags: EntityTags;
  /** Milliseconds that a service has to begin its answer. */
  readonly upstreamTimeoutMs: number;
  /** Requests that write and are under way: they take place, and count, also when their client has left. */
  readonly writesUnderWay: Set<Promise<void>>;
}

/** The public API: every route of the table, each request through the gateway's steps. */
export function publicApi(deps: PublicApiDeps): DirectRoute[] {
  const headers = Object.entries(CORS_HEADERS).flat();
  const { writesUnderWay } = deps;
  return PUBLIC_ROUTES.map((route) => {
    const endpoint = endpointOf(route);
    const methods = route.method === 'GET' ? (['GET', 'HEAD'] as const) : ([route.method] as const);
    return {
      path: route.path,
      methods,
      headers,
      handle(exchange) {
        const passed = pass(deps, route, endpoint, exchange);
        if (route.writes) {
          writesUnderWay.add(passed);
          const ended = (): void => void writesUnderWay.delete(passed);
          passed.then(ended, ended);
        }
        return passed;
      },
    };
  });
}

/** authenticate → admit → forward → settle */
async function pass(
  deps: PublicApiDeps,
  { method, service, writes = false }: PublicRoute,
  endpoint: string,
  { request, response, id: requestId, client, headers, bodyLimit }: DirectExchange,
): Promise<void> {
  const { key, url } = readCredentials(request.url ?? '/', request.headers['x-api-key']);
  const project = await authenticate(deps.authentication, key, client.address);
  // Its key is public, and what is written reaches every consumer.
  if (writes && project.demo)
    throw forbidden('The demo key may only read; send orders with a key of your own.');
  // Only now is anything of a stranger's body kept; services read it, here it is taken as it is.
  const body = method === 'GET' ? null : await readBody(request, bodyLimit);
  const { admission, headers: limits } = await admit(deps, project, client.address);
  const { id: projectId, plan } = project;
  let answer: Answer | undefined;
  try {
    const withBody = body !== null;
    const knownTags = deps.tags.known(url, request.headers['if-none-match']);
    const forwarding = { requestId, projectId, plan, client, knownTags, withBody };
    const sent = requestHeaders(request.headers, forwarding);
    const forwarded = { method: request.method ?? method, path: url, headers: sent, body };
    const timeoutMs = deps.upstreamTimeoutMs;
    answer = await forward(deps.upstreams[service], forwarded, { response, writes, timeoutMs });
  } finally {
    if (answer === undefined) deps.quota.done(admission, false);
  }
  if (answer === undefined) return;
  try {
    await settle(deps, admission, { projectId, endpoint }, answer.statusCode);
  } catch (error) {
    answer.discard(new Error('it could not be counted'));
    throw error;
  }
  answer.send([...headers, ...limits], (tag) => deps.tags.sign(url, tag));
}
