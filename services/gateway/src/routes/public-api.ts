import { endpointOf, methodsOf, pathsOf } from '@hindsight/api/operations.ts';
import { PASSED_OPERATIONS, type PassedOperation } from '../domain/route-table.ts';
import { pass, type IdentifyingPassDeps } from '../steps/pass.ts';
import type { DirectRoute } from '../upstreams/direct-routes.ts';

export interface PublicApiDeps extends IdentifyingPassDeps {
  /** Requests that write and are under way: they take place, and count, also when their client has left. */
  readonly writesUnderWay: Set<Promise<void>>;
}

/** The public API: every operation of the table that a service answers, each request through the gateway's steps. */
export function publicApi(deps: PublicApiDeps): DirectRoute[] {
  return PASSED_OPERATIONS.flatMap((operation) => {
    const endpoint = endpointOf(operation);
    const methods = methodsOf(operation);
    const underWay = underWayOf(deps, operation);
    const handle: DirectRoute['handle'] = (exchange) => {
      const passed = pass(deps, operation, endpoint, exchange);
      if (underWay !== undefined) {
        underWay.add(passed);
        const ended = (): void => void underWay.delete(passed);
        passed.then(ended, ended);
      }
      return passed;
    };
    return pathsOf(operation).map((path) => ({ path, methods, handle }));
  });
}

/** The requests that are waited for when the gateway stops. */
function underWayOf(
  deps: PublicApiDeps,
  { writes, bulk, long, endless }: PassedOperation,
): Set<Promise<void>> | undefined {
  if (writes) return deps.writesUnderWay;
  if (endless) return deps.endless.underWay;
  if (long) return deps.lists.underWay;
  return bulk?.streams ? deps.streams.underWay : undefined;
}
