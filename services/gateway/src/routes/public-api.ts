import { CORS_HEADERS } from '../domain/cors.ts';
import { endpointOf, PUBLIC_ROUTES, type PublicRoute } from '../domain/route-table.ts';
import { pass, type IdentifyingPassDeps } from '../steps/pass.ts';
import type { DirectRoute } from '../upstreams/direct-routes.ts';

export interface PublicApiDeps extends IdentifyingPassDeps {
  /** Requests that write and are under way: they take place, and count, also when their client has left. */
  readonly writesUnderWay: Set<Promise<void>>;
}

/** The public API: every route of the table, each request through the gateway's steps. */
export function publicApi(deps: PublicApiDeps): DirectRoute[] {
  const headers = Object.entries(CORS_HEADERS).flat();
  return PUBLIC_ROUTES.map((route) => {
    const endpoint = endpointOf(route);
    const methods = route.method === 'GET' ? (['GET', 'HEAD'] as const) : ([route.method] as const);
    const underWay = underWayOf(deps, route);
    return {
      path: route.path,
      methods,
      headers,
      handle(exchange) {
        const passed = pass(deps, route, endpoint, exchange);
        if (underWay !== undefined) {
          underWay.add(passed);
          const ended = (): void => void underWay.delete(passed);
          passed.then(ended, ended);
        }
        return passed;
      },
    };
  });
}

/** The requests that are waited for when the gateway stops. */
function underWayOf(
  deps: PublicApiDeps,
  { writes, bulk, endless }: PublicRoute,
): Set<Promise<void>> | undefined {
  if (writes) return deps.writesUnderWay;
  if (endless) return deps.endless.underWay;
  return bulk?.streams ? deps.streams.underWay : undefined;
}
