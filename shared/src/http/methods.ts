import createRouter, { type HTTPMethod } from 'find-my-way';
import { methodNotAllowed, notFound } from '../errors.ts';
import type { HttpServer } from './types.ts';

/**
 * Makes an unmatched request a 404 or, where its path is known under another method, a 405 with `Allow`.
 * Must be called before any route is added.
 */
export function refuseUnknownRoutes(app: HttpServer): void {
  const router = createRouter();
  const methods = new Set<HTTPMethod>();
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat() as HTTPMethod[]) {
      if (router.hasRoute(method, route.url)) continue;
      router.on(method, route.url, () => undefined);
      methods.add(method);
    }
  });
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const allowed = [...methods].filter((method) => router.find(method, path) !== null);
    if (allowed.length > 0) throw methodNotAllowed(request.method, allowed);
    throw notFound(`There is nothing at ${request.method} ${path.slice(0, 200)}`);
  });
}
