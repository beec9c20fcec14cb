import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CORS_HEADERS } from '../domain/cors.ts';
import { readCredentials } from '../domain/credentials.ts';
import { requestHeaders } from '../domain/headers.ts';
import { endpointOf, PUBLIC_ROUTES, type PublicRoute } from '../domain/route-table.ts';
import type { Upstreams } from '../ports.ts';
import { admit, type Admitting } from '../steps/admit.ts';
import { authenticate, type Authentication } from '../steps/authenticate.ts';
import { forward } from '../steps/forward.ts';
import { Settlement } from '../steps/settle.ts';

/** What the steps of a request stand on. */
export interface Steps extends Admitting {
  readonly authentication: Authentication;
  readonly upstreams: Upstreams;
}

/** The public API: every route of the table, each request through the gateway's steps. */
export function addPublicApi(app: HttpServer, steps: Steps): void {
  for (const route of PUBLIC_ROUTES) {
    if (route.method === 'GET') addRoute(app, route, steps);
  }
  // Bodies are the services' to read: here they are taken as they are, up to the server's limit.
  void app.register(async (withBodies: HttpServer) => {
    withBodies.removeAllContentTypeParsers();
    withBodies.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const route of PUBLIC_ROUTES) {
      if (route.method !== 'GET') addRoute(withBodies, route, steps);
    }
  });
}

function addRoute(app: HttpServer, route: PublicRoute, steps: Steps): void {
  const endpoint = endpointOf(route);
  app.route({
    method: route.method,
    url: route.path,
    handler: (request, reply) => pass(steps, route, endpoint, request, reply),
  });
}

/** authenticate → admit → forward → settle */
async function pass(
  steps: Steps,
  { service }: PublicRoute,
  endpoint: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { key, url } = readCredentials(request.url, request.headers['x-api-key']);
  const project = await authenticate(steps.authentication, key, request.ip);
  const { admission, headers: rate } = await admit(steps, project, request.ip);
  const settlement = new Settlement(steps, admission, project.id, endpoint);
  try {
    const body = Buffer.isBuffer(request.body) ? request.body : null;
    const headers = requestHeaders(request.headers, {
      requestId: request.id,
      projectId: project.id,
      plan: project.plan,
      clientAddress: request.ip,
      host: request.host,
      protocol: request.protocol,
      withBody: body !== null,
    });
    const own = { 'x-request-id': request.id, ...CORS_HEADERS, ...rate };
    await forward(
      steps.upstreams[service],
      { method: request.method, path: url, headers, body },
      { response: reply.raw, headers: own, settle: (status) => settlement.answered(status) },
    );
    reply.hijack();
  } catch (error) {
    reply.headers({ ...rate });
    throw error;
  } finally {
    settlement.release();
  }
}
