import { createBalance } from '@hindsight/balance/service.ts';
import { createGateway, createInProcessUpstream } from '@hindsight/gateway/service.ts';
import { createOrders } from '@hindsight/orders/service.ts';
import { createMetering } from '@hindsight/metering/service.ts';
import { openBus } from '@hindsight/shared/bus/open.ts';
import { openGateways } from '@hindsight/shared/chain/ens/gateways.ts';
import { ETH_MAINNET } from '@hindsight/shared/chain/networks.ts';
import { nodeReadiness } from '@hindsight/shared/chain/readiness.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
import { ensureDemoProject } from '@hindsight/shared/projects/create-project.ts';
import { openProjects } from '@hindsight/shared/projects/open.ts';
import { embeddedSecret } from '@hindsight/shared/projects/secrets-file.ts';
import { startProjectUpkeep } from '@hindsight/shared/projects/upkeep.ts';
import { openTelemetry } from '@hindsight/shared/telemetry.ts';
import { openUsage } from '@hindsight/shared/usage/open.ts';
import { welcome } from '@hindsight/shared/welcome.ts';
import { EXAMPLES } from '@hindsight/devchain/examples.ts';
import { orderLimits, readConfig } from './config.ts';
import { openChain } from './nodes.ts';
import { startPortal } from './portal.ts';
import { startTokens } from './tokens.ts';

/** Everything in one process, on the embedded default. */
await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const logger = createLogger({ name: 'hindsight', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const telemetry = await openTelemetry('hindsight', config, { logger, lifecycle });
      const platform = { logger, ids: randomIds, clock: systemClock, lifecycle, telemetry };
      const secret = config.SECRETS_KEY ?? embeddedSecret(config.DATA_DIR);
      const { projects, audit, outbox, check } = await openProjects(
        { dataDir: config.DATA_DIR, secret, previousSecrets: config.SECRETS_KEY_PREVIOUS },
        platform,
      );
      const { bus, check: busCheck } = await openBus({ dataDir: config.DATA_DIR }, platform);
      startProjectUpkeep({ projects, audit, outbox, bus, ...platform });
      const demo = await ensureDemoProject({ projects, ...platform }, config.DEMO_KEY);
      const chain = await openChain(config, lifecycle, logger);
      const { node, embedded } = chain;

      const gateways = openGateways(config.ENS_CCIP_GATEWAYS, lifecycle);
      const balance = createBalance({
        node,
        network: ETH_MAINNET,
        ...platform,
        gateways,
        deadlineMs: config.REQUEST_TIMEOUT_MS,
      });
      const store = { dataDir: config.DATA_DIR };
      const orders = await createOrders({ ...platform, ...orderLimits(config), bus, busCheck, node, store });
      const tokens = await startTokens(config, chain, platform);
      const upstreams = {
        balance: createInProcessUpstream(balance),
        orders: createInProcessUpstream(orders),
        tokens: createInProcessUpstream(tokens.app),
      };
      const { usage } = await openUsage({ dataDir: config.DATA_DIR }, lifecycle);
      createMetering({ ...platform, usage, bus });
      const gateway = await createGateway({
        ...{ projects, upstreams, bus, usage },
        dataDir: config.DATA_DIR,
        trustProxy: config.TRUST_PROXY ?? [],
        checks: [check, busCheck, nodeReadiness(node), tokens.check],
        ...platform,
      });
      await startMetricsServer(telemetry, lifecycle, {
        host: config.HOST,
        port: config.METRICS_PORT,
      });
      const url = await listen(gateway, lifecycle, 'gateway', { host: config.HOST, port: config.PORT });
      const portalUrl = await startPortal(
        config,
        { gatewayUrl: url, demoKey: demo.key, ...chain },
        { ...platform, projects, audit, usage, checks: [check, busCheck] },
      );
      const devChainExamples = embedded ? EXAMPLES : undefined;
      process.stdout.write(welcome({ url, portalUrl, demoKey: demo.key, devChainExamples }));
    },
  };
});
