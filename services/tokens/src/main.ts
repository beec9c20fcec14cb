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
import {
  createTokens,
  indexerSettings,
  MOST_ANSWER_BYTES,
  openTokenIndex,
  startIndexing,
} from './service.ts';

await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const logger = createLogger({ name: 'tokens', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const network = ETH_MAINNET;
      const telemetry = await openTelemetry('tokens', config, { logger, lifecycle });
      const platform = { logger, clock: systemClock, ids: randomIds, lifecycle, telemetry };
      const { HOST: host, PORT, METRICS_PORT, DATA_DIR: dataDir, MONGODB_URL: mongodbUrl } = config;
      const index = await openTokenIndex({ dataDir, mongodbUrl }, lifecycle);
      await startMetricsServer(telemetry, lifecycle, { host, port: METRICS_PORT });
      if (config.TOKENS_INDEX === 'on') {
        const nodes = { urls: config.ETH_RPC_URL, timeoutMs: config.ETH_RPC_TIMEOUT_MS };
        const node = openNode({ ...nodes, maxBytes: MOST_ANSWER_BYTES }, network, platform);
        startIndexing({ ...platform, index, network, node, settings: indexerSettings(config) });
      }
      const app = createTokens({ ...platform, index, network, publicUrl: config.PUBLIC_URL });
      await listen(app, lifecycle, 'tokens', { host, port: PORT });
    },
  };
});
