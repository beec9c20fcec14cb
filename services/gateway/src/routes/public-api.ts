import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { readCredentials } from '../domain/credentials.ts';
import { requestHeaders } from '../domain/headers.ts';
import { PUBLIC_ROUTES, type PublicRoute } from '../domain/route-table.ts';
import type { ProjectLookup, Upstreams } from '../ports.ts';
import { authenticate } from '../steps/authenticate.ts';
import { forward } from '../steps/forward.ts';

/** The public API: every route of the table, each request through the gateway's steps. */
export function addPublicApi(app: HttpServer, projects: ProjectLookup, upstreams: Upstreams): void {
  for (const route of PUBLIC_ROUTES) {
    if (route.method === 'GET') addRoute(app, route, projects, upstreams);
  }
  // Bodies are the services' to read: here they are taken as they are, up to the server's limit.
  void app.register(async (withBodies: HttpServer) => {
    withBodies.removeAllContentTypeParsers();
    withBodies.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const route of PUBLIC_ROUTES) {
      if (route.method !== 'GET') addRoute(withBodies, route, projects, upstreams);
    }
  });
}

function addRoute(
  app: HttpServer,
  { method, path, service }: PublicRoute,
  projects: ProjectLookup,
  upstreams: Upstreams,
): void {
  app.route({
    method,
    url: path,
    handler: async (request, reply) => {
      const { key, url } = readCredentials(request.url, request.headers['x-api-key']);
      const project = await authenticate(projects, key);
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
      await forward(
        upstreams[service],
        { method: request.method, path: url, headers, body },
        reply.raw,
        request.id,
      );
      reply.hijack();
    },
  });
}
