import { openBus } from '@hindsight/bus/open.ts';
import { busSettings } from '@hindsight/bus/settings.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { connectService } from '@hindsight/http/http-service.ts';
import { startService } from '@hindsight/http/start-service.ts';
import { ensureDemoProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { projectSettings } from '@hindsight/projects/settings.ts';
import { refuseWrongSecret } from '@hindsight/projects/wrong-secret.ts';
import { startProjectUpkeep } from '@hindsight/projects/upkeep.ts';
import { openCopy, openCounters } from '@hindsight/usage/open-counters.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { MAINNET_PAST_EXAMPLE } from '@hindsight/chain/mainnet-examples.ts';
import { createLazyNode } from './adapters/lazy-node.ts';
import { readConfig, shownNetworks, statusSources } from './config.ts';
import { createPortal } from './service.ts';

const DEFAULT_API = 'http://127.0.0.1:8080';

await startService('portal', {
  env: process.env,
  readConfig,
  async create(config, deps) {
    const network = ETH_MAINNET;
    const { DATA_DIR: dataDir, MONGODB_URL: mongodbUrl, REDIS_URL: redisUrl } = config;
    const { ETH_RPC_URL: urls, ETH_RPC_TIMEOUT_MS: timeoutMs } = config;
    const { projects, audit, outbox, check } = await openProjects(projectSettings(config), deps);
    const { bus, check: busCheck } = await openBus(busSettings(config), deps);
    startProjectUpkeep({ ...deps, projects, audit, outbox, bus });
    const opened = await openUsage({ dataDir, mongodbUrl, telemetry: deps.telemetry }, deps.lifecycle);
    // Before the demo's key is stored under it.
    await refuseWrongSecret(projects);
    const demo = await ensureDemoProject({ ...deps, projects }, config.DEMO_KEY);
    const orders = config.ORDERS_URL === undefined ? undefined : connectService('orders', config.ORDERS_URL);
    if (orders) deps.lifecycle.onStop('connections to the orders service', () => orders.close());
    const apiUrl = config.API_URL ?? DEFAULT_API;
    return createPortal({
      ...deps,
      settings: config,
      secret: config.SECRETS_KEY,
      host: config.HOST,
      network,
      networks: shownNetworks(config),
      node:
        urls &&
        createLazyNode(network.name, async () => {
          const { openNode } = await import('@hindsight/chain/pool/open-node.ts');
          return openNode({ urls, timeoutMs }, network, deps);
        }),
      checks: [check, busCheck],
      trustProxy: config.TRUST_PROXY ?? [],
      store: { dataDir, mongodbUrl, telemetry: deps.telemetry },
      projects,
      audit,
      bus,
      alerts: opened.alerts,
      usage: openCounters(opened, await openCopy(opened, redisUrl, deps), deps),
      orders,
      status: statusSources(config, apiUrl),
      showcase: { apiUrl, demoKey: demo.key, example: MAINNET_PAST_EXAMPLE },
    });
  },
});
