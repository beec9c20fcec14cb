import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { readCredentials } from '../domain/credentials.ts';
import { requestHeaders } from '../domain/headers.ts';
import { PUBLIC_ROUTES, type PublicRoute } from '../domain/route-table.ts';
import type { ProjectLookup, Upstreams } from '../ports.ts';
import { authenticate } from '../steps/authenticate.ts';
import { forward } from '../steps/forward.ts';

/** The public API: every route of the table, each request through the gateway's steps. */
export function addPublicApi(app: HttpServer, projects: ProjectLookup, upstreams: Upstreams): void {
  for (const route of PUBLIC_ROUTES) addRoute(app, route, projects, upstreams);
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
      const headers = requestHeaders(request.headers, {
        requestId: request.id,
        projectId: project.id,
        plan: project.plan,
        clientAddress: request.ip,
        host: request.host,
        protocol: request.protocol,
        withBody: false,
      });
      await forward(
        upstreams[service],
        { method: request.method, path: url, headers, body: null },
        reply.raw,
        request.id,
      );
      reply.hijack();
    },
  });
}
