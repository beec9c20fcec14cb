import { openBus } from '@hindsight/bus/open.ts';
import { busSettings } from '@hindsight/bus/settings.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { projectSettings } from '@hindsight/projects/settings.ts';
import { refuseWrongSecret } from '@hindsight/projects/wrong-secret.ts';
import { startProjectUpkeep } from '@hindsight/projects/upkeep.ts';
import { openRedis } from '@hindsight/stores/redis.ts';
import { openCopy, openCounters } from '@hindsight/usage/open-counters.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { readConfig } from './config.ts';
import { createGateway } from './service.ts';
import { openUpstreams } from './upstreams/open.ts';

await startService('gateway', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const { lifecycle, logger, telemetry } = deps;
    const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl, REDIS_URL: redisUrl } = config;
    const { projects, audit, outbox, check } = await openProjects(projectSettings(config), deps);
    // It would be ready, and refuse every key.
    await refuseWrongSecret(projects);
    const { bus, check: busCheck } = await openBus(busSettings(config), deps);
    startProjectUpkeep({ ...deps, projects, audit, outbox, bus });
    const upstreams = openUpstreams(config, lifecycle);
    const opened = await openUsage({ dataDir, mongodbUrl, telemetry }, lifecycle);
    return createGateway({
      ...deps,
      projects,
      bus,
      usage: opened.usage,
      counters: openCounters(opened, await openCopy(opened, redisUrl, deps), deps),
      upstreams,
      networks: config.NETWORKS,
      secret: config.SECRETS_KEY,
      redis:
        redisUrl === undefined ? undefined : await openRedis({ url: redisUrl, telemetry }, lifecycle, logger),
      checks: [...deps.checks, check, busCheck],
      dataDir,
      spoolBytes: config.USAGE_SPOOL_MAX_MB * 1024 * 1024,
      trustProxy: config.TRUST_PROXY ?? [],
      publicUrl: config.PUBLIC_URL,
      portalUrl: () => config.PORTAL_URL,
      securityContact: config.SECURITY_CONTACT,
      upstreamTimeoutMs: config.UPSTREAM_TIMEOUT_MS,
    });
  },
});
