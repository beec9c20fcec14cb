import { createHttpServer } from '@hindsight/shared/http/server.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { ReadinessCheck } from '@hindsight/shared/http/health.ts';
import type { Ids } from '@hindsight/shared/ids.ts';
import type { Lifecycle } from '@hindsight/shared/lifecycle.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import type { ProjectLookup, Upstreams } from './ports.ts';
import { addPublicApi } from './routes/public-api.ts';

/** What the service stands on. */
export interface GatewayDeps {
  readonly projects: ProjectLookup;
  readonly upstreams: Upstreams;
  readonly logger: Logger;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  /** Further parts that `/readyz` reports on. */
  readonly checks?: readonly ReadinessCheck[];
}

/** Creates the gateway: keys in, the public API out. Not yet listening. */
export function createGateway({
  projects,
  upstreams,
  logger,
  ids,
  lifecycle,
  checks = [],
}: GatewayDeps): HttpServer {
  const app = createHttpServer({ logger, ids, lifecycle, checks });
  addPublicApi(app, projects, upstreams);
  return app;
}
