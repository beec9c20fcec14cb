import createRouter, { type HTTPMethod } from 'find-my-way';
import type { FastifyRequest } from 'fastify';
import { methodNotAllowed, notFound, type ApiError } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from './types.ts';

export interface KnownRoute {
  readonly methods: readonly HTTPMethod[];
  /** As Fastify has it: `/v1/:network/token`. */
  readonly path: string;
}

/**
 * Makes an unmatched request a 404 or, where its path is known under another method, a 405 with `Allow`.
 * Must be called before any route is added.
 * @param others routes that are answered without Fastify
 */
export function refuseUnknownRoutes(app: HttpServer, others: readonly KnownRoute[]): void {
  const router = createRouter();
  const methods = new Set<HTTPMethod>();
  const note = (method: HTTPMethod, path: string): void => {
    router.on(method, path, () => undefined);
    methods.add(method);
  };
  for (const route of others) route.methods.forEach((method) => note(method, route.path));
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat() as HTTPMethod[]) note(method, route.url);
  });
  const refusalOf = ({ url, method }: FastifyRequest): ApiError => {
    const path = url.split('?', 1)[0] ?? '/';
    const allowed = [...methods].filter((known) => router.find(known, path) !== null);
    if (allowed.length > 0) return methodNotAllowed(method, allowed);
    return notFound('unknown_route', `There is nothing at ${method} ${path.slice(0, 200)}`);
  };
  // Before anything is said of its body: no route could use it.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    done(request.is404 ? refusalOf(request) : null);
  });
}
