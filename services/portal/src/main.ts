import { openBus } from '@hindsight/shared/bus/open.ts';
import { ETH_MAINNET } from '@hindsight/shared/chain/networks.ts';
import { openNode } from '@hindsight/shared/chain/open-node.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
import { ensureDemoProject } from '@hindsight/shared/projects/create-project.ts';
import { openProjects } from '@hindsight/shared/projects/open.ts';
import { projectSettings } from '@hindsight/shared/projects/settings.ts';
import { startProjectUpkeep } from '@hindsight/shared/projects/upkeep.ts';
import { openTelemetry } from '@hindsight/shared/telemetry.ts';
import { openUsage } from '@hindsight/shared/usage/open.ts';
import { MAINNET_EXAMPLES } from '@hindsight/shared/mainnet-examples.ts';
import { readConfig, statusSources } from './config.ts';
import { createPortal } from './service.ts';

const DEFAULT_API = 'http://127.0.0.1:8080';

await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const { HOST: host, PORT, METRICS_PORT, ETH_RPC_URL: urls, ETH_RPC_TIMEOUT_MS: timeoutMs } = config;
  const logger = createLogger({ name: 'portal', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const telemetry = await openTelemetry('portal', config, { logger, lifecycle });
      const platform = { logger, clock: systemClock, ids: randomIds, lifecycle, telemetry };
      const { projects, audit, outbox, check } = await openProjects(projectSettings(config), platform);
      const { DATA_DIR: dataDir, KAFKA_BROKERS: brokers, MONGODB_URL: mongodbUrl } = config;
      const { bus, check: busCheck } = await openBus({ dataDir, brokers }, platform);
      startProjectUpkeep({ projects, audit, outbox, bus, ...platform });
      const { usage } = await openUsage({ dataDir, mongodbUrl }, lifecycle);
      const demo = await ensureDemoProject({ projects, ...platform }, config.DEMO_KEY);
      const node = urls && openNode({ urls, timeoutMs }, ETH_MAINNET, platform);
      await startMetricsServer(telemetry, lifecycle, { host, port: METRICS_PORT });
      const apiUrl = config.API_URL ?? DEFAULT_API;
      const app = await createPortal({
        ...{ settings: config, host, node, checks: [check, busCheck], trustProxy: config.TRUST_PROXY ?? [] },
        ...{ store: { dataDir, mongodbUrl }, projects, audit, usage },
        status: statusSources(config, apiUrl),
        showcase: { apiUrl, demoKey: demo.key, example: MAINNET_EXAMPLES[0] },
        ...platform,
      });
      await listen(app, lifecycle, 'portal', { host, port: PORT });
    },
  };
});
