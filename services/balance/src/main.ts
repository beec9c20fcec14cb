import { openCcipGateways } from '@hindsight/shared/chain/ens/ccip/gateways.ts';
import { ETH_MAINNET } from '@hindsight/shared/chain/networks.ts';
import { openNode } from '@hindsight/shared/chain/pool/open-node.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
import { openRedis } from '@hindsight/shared/stores/redis.ts';
import { openTelemetry } from '@hindsight/shared/telemetry.ts';
import { readConfig } from './config.ts';
import { createBalance } from './service.ts';

await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const logger = createLogger({ name: 'balance', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const telemetry = await openTelemetry('balance', config, { logger, lifecycle });
      const node = openNode({ urls: config.ETH_RPC_URL, timeoutMs: config.ETH_RPC_TIMEOUT_MS }, ETH_MAINNET, {
        logger,
        lifecycle,
      });
      await startMetricsServer(telemetry, lifecycle, { host: config.HOST, port: config.METRICS_PORT });
      const app = createBalance({
        networks: [{ network: ETH_MAINNET, node }],
        logger,
        clock: systemClock,
        ids: randomIds,
        lifecycle,
        telemetry,
        redis: config.REDIS_URL ? await openRedis({ url: config.REDIS_URL }, lifecycle, logger) : undefined,
        gateways: openCcipGateways(config.ENS_CCIP_GATEWAYS, lifecycle),
        deadlineMs: config.REQUEST_TIMEOUT_MS,
      });
      await listen(app, lifecycle, 'balance', { host: config.HOST, port: config.PORT });
    },
  };
});
