import { endpointOf, methodsOf, pathsOf } from '@hindsight/api/operations.ts';
import { lastingKindOf, PASSED_OPERATIONS } from '../domain/route-table.ts';
import { pass } from '../steps/pass.ts';
import type { PassDeps } from '../steps/settlements/settlement.ts';
import type { DirectRoute } from '../upstreams/direct-routes.ts';

export interface PublicApiDeps extends PassDeps {
  /** Requests that write and are under way: they take place, and count, also when their client has left. */
  readonly writesUnderWay: Set<Promise<void>>;
  /** Requests whose answers last. */
  readonly streamsUnderWay: Set<Promise<void>>;
}

/** The public API: every operation of the table that a service answers, each request through the gateway's steps. */
export function publicApi(deps: PublicApiDeps): DirectRoute[] {
  return PASSED_OPERATIONS.flatMap((operation) => {
    const endpoint = endpointOf(operation);
    const methods = methodsOf(operation);
    const lasting = lastingKindOf(operation) && deps.streamsUnderWay;
    const underWay = operation.writes ? deps.writesUnderWay : lasting;
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
