import { openBus } from '@hindsight/shared/bus/open.ts';
import { ETH_MAINNET } from '@hindsight/shared/chain/networks.ts';
import { openNode } from '@hindsight/shared/chain/pool/open-node.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
import { openTelemetry } from '@hindsight/shared/telemetry.ts';
import { readConfig } from './config.ts';
import { createOrders } from './service.ts';

await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const { HOST: host, DATA_DIR: dataDir } = config;
  const logger = createLogger({ name: 'orders', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const network = ETH_MAINNET;
      const telemetry = await openTelemetry('orders', config, { logger, lifecycle });
      const platform = { logger, clock: systemClock, ids: randomIds, lifecycle, telemetry };
      const { bus, check: busCheck } = await openBus({ brokers: config.KAFKA_BROKERS, dataDir }, platform);
      const nodes = { urls: config.ETH_RPC_URL, timeoutMs: config.ETH_RPC_TIMEOUT_MS };
      const node = openNode(nodes, network, platform);
      await startMetricsServer(telemetry, lifecycle, { host, port: config.METRICS_PORT });
      const store = { dataDir, mongodbUrl: config.MONGODB_URL };
      const app = await createOrders({
        ...platform,
        bus,
        busCheck,
        network,
        node,
        store,
        keepDays: config.ORDERS_KEEP_DAYS,
        mostInFlight: config.ORDERS_MAX_IN_FLIGHT,
      });
      await listen(app, lifecycle, 'orders', { host, port: config.PORT });
    },
  };
});
