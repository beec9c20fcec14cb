import type { EventBus } from '@hindsight/shared/bus/port.ts';
import type { Clock } from '@hindsight/shared/clock.ts';
import { createHttpServer } from '@hindsight/shared/http/server.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { ReadinessCheck } from '@hindsight/shared/http/health.ts';
import type { Ids } from '@hindsight/shared/ids.ts';
import type { Lifecycle } from '@hindsight/shared/lifecycle.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import type { Telemetry } from '@hindsight/shared/telemetry.ts';
import { cacheProjects } from './adapters/cached-projects.ts';
import { dropChangedKeys } from './consumers/projects-changed.ts';
import type { ProjectLookup, Upstreams } from './ports.ts';
import { addPublicApi } from './routes/public-api.ts';

/** What the service stands on. */
export interface GatewayDeps {
  readonly projects: ProjectLookup;
  /** Tells of changed projects; without it keys are looked up at every request, for nothing may be remembered. */
  readonly changes?: ChangeFeed;
  readonly upstreams: Upstreams;
  readonly logger: Logger;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  /** Nothing is measured when not given. */
  readonly telemetry?: Telemetry;
  /** Further parts that `/readyz` reports on. */
  readonly checks?: readonly ReadinessCheck[];
}

/** Where a gateway hears of changes. */
export interface ChangeFeed {
  readonly bus: Pick<EventBus, 'subscribe'>;
  readonly clock: Clock;
}

/** Creates the gateway: keys in, the public API out. Not yet listening. */
export function createGateway(deps: GatewayDeps): HttpServer {
  const { upstreams, logger, ids, lifecycle, telemetry, checks = [] } = deps;
  const app = createHttpServer({
    logger,
    ids,
    lifecycle,
    checks,
    observed: telemetry && { service: 'gateway', telemetry },
  });
  const projects = deps.changes === undefined ? deps.projects : remembering(deps, deps.changes);
  addPublicApi(app, projects, upstreams);
  return app;
}

/**
 * Each life of a gateway is a group of its own: every gateway must hear of every change. What happened before it began
 * is delivered too, and finds nothing to drop.
 */
function remembering({ projects, ids, logger }: GatewayDeps, { bus, clock }: ChangeFeed): ProjectLookup {
  const keys = cacheProjects(projects, clock);
  const joined = bus.subscribe(
    { group: `gateway-${ids.next()}`, topics: ['projects.changed'] },
    dropChangedKeys(keys),
  );
  joined.then(
    () => keys.hear(),
    (err: unknown) => logger.error({ err }, 'changes of projects are not heard of'),
  );
  return keys;
}
