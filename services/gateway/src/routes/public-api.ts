import { readBody } from '@hindsight/shared/http/body.ts';
import { CORS_HEADERS } from '../domain/cors.ts';
import { readCredentials } from '../domain/credentials.ts';
import { requestHeaders } from '../domain/headers.ts';
import { endpointOf, PUBLIC_ROUTES, type PublicRoute } from '../domain/route-table.ts';
import type { Upstreams } from '../ports.ts';
import { admit, type Admitting } from '../steps/admit.ts';
import { authenticate, type Authentication } from '../steps/authenticate.ts';
import { forward } from '../steps/forward.ts';
import { Settlement } from '../steps/settle.ts';
import type { DirectExchange, DirectRoute } from '../upstreams/direct-routes.ts';

/** What the steps of a request stand on. */
export interface Steps extends Admitting {
  readonly authentication: Authentication;
  readonly upstreams: Upstreams;
  /** Milliseconds that a service has to begin its answer. */
  readonly upstreamTimeoutMs: number;
}

/** The public API: every route of the table, each request through the gateway's steps. */
export function publicApi(steps: Steps): DirectRoute[] {
  const headers = Object.entries(CORS_HEADERS).flat();
  return PUBLIC_ROUTES.map((route) => {
    const endpoint = endpointOf(route);
    const methods = route.method === 'GET' ? (['GET', 'HEAD'] as const) : ([route.method] as const);
    return {
      ...{ path: route.path, methods, headers },
      handle: (exchange) => pass(steps, route, endpoint, exchange),
    };
  });
}

/** authenticate → admit → forward → settle */
async function pass(
  steps: Steps,
  { method, service }: PublicRoute,
  endpoint: string,
  { request, response, id: requestId, client, headers, bodyLimit }: DirectExchange,
): Promise<void> {
  const { key, url } = readCredentials(request.url ?? '/', request.headers['x-api-key']);
  const project = await authenticate(steps.authentication, key, client.address);
  // Only now is anything of a stranger's body kept; services read it, here it is taken as it is.
  const body = method === 'GET' ? null : await readBody(request, bodyLimit);
  const admission = await admit(steps, project, client.address, headers);
  const settlement = new Settlement(steps, admission, project.id, endpoint);
  try {
    const { id: projectId, plan } = project;
    const withBody = body !== null;
    const sent = requestHeaders(request.headers, { requestId, projectId, plan, client, withBody });
    await forward(
      steps.upstreams[service],
      { method: request.method ?? method, path: url, headers: sent, body },
      { response, headers, settlement, timeoutMs: steps.upstreamTimeoutMs },
    );
  } finally {
    settlement.release();
  }
}
