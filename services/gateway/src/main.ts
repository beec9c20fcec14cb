import { openBus } from '@hindsight/shared/bus/open.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
import { openProjects } from '@hindsight/shared/projects/open.ts';
import { projectSettings } from '@hindsight/shared/projects/settings.ts';
import { startProjectUpkeep } from '@hindsight/shared/projects/upkeep.ts';
import { openRedis } from '@hindsight/shared/stores/redis.ts';
import { openTelemetry } from '@hindsight/shared/telemetry.ts';
import { openUsage } from '@hindsight/shared/usage/open.ts';
import { busSettings, readConfig } from './config.ts';
import { createGateway } from './service.ts';
import { openUpstreams } from './upstreams/open.ts';

await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const logger = createLogger({ name: 'gateway', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const telemetry = await openTelemetry('gateway', config, { logger, lifecycle });
      const platform = { logger, clock: systemClock, ids: randomIds, lifecycle, telemetry };
      const { projects, audit, outbox, check } = await openProjects(projectSettings(config), platform);
      const { bus, check: busCheck } = await openBus(busSettings(config), platform);
      startProjectUpkeep({ projects, audit, outbox, bus, ...platform });
      const upstreams = openUpstreams(config, lifecycle);
      const { HOST: host, METRICS_PORT, PORT } = config;
      await startMetricsServer(telemetry, lifecycle, { host, port: METRICS_PORT });
      const { usage } = await openUsage(
        { dataDir: config.DATA_DIR, mongodbUrl: config.MONGODB_URL },
        lifecycle,
      );
      const redis =
        config.REDIS_URL === undefined
          ? undefined
          : await openRedis({ url: config.REDIS_URL }, lifecycle, logger);
      const app = await createGateway({
        ...platform,
        ...{ projects, bus, usage, upstreams, redis },
        checks: [check, busCheck],
        dataDir: config.DATA_DIR,
        spoolBytes: config.USAGE_SPOOL_MAX_MB * 1024 * 1024,
        trustProxy: config.TRUST_PROXY ?? [],
        upstreamTimeoutMs: config.UPSTREAM_TIMEOUT_MS,
      });
      await listen(app, lifecycle, 'gateway', { host, port: PORT });
    },
  };
});
