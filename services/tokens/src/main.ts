import { createFailover } from '@hindsight/shared/chain/failover.ts';
import { createJsonRpcNode } from '@hindsight/shared/chain/json-rpc.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import type { Lifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger, type Logger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
import { openTelemetry, type Telemetry } from '@hindsight/shared/telemetry.ts';
import { readConfig, type TokensConfig } from './config.ts';
import type { TokenIndex } from './ports.ts';
import { createTokens, openTokenIndex, startIndexing } from './service.ts';

/** A block full of events makes an answer of some 30 MB. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

interface Parts {
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly telemetry: Telemetry;
  readonly index: TokenIndex;
}

function indexFrom(config: TokensConfig, parts: Parts): void {
  const nodes = config.ETH_RPC_URL.map((url) =>
    createJsonRpcNode({ url, timeoutMs: config.ETH_RPC_TIMEOUT_MS, maxBytes: MOST_ANSWER_BYTES }),
  );
  const node = createFailover({ nodes, chainId: 1, logger: parts.logger });
  parts.lifecycle.onStop('node', () => node.close());
  const settings = {
    fromBlock: config.TOKENS_FROM_BLOCK,
    inFlight: config.TOKENS_RANGES_IN_FLIGHT,
    ranges: { first: 64, most: config.TOKENS_MOST_BLOCKS, events: 1_500 },
    pollMs: config.TOKENS_POLL_MS,
  };
  startIndexing({ ...parts, node, clock: systemClock, ids: randomIds, settings });
}

await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const logger = createLogger({ name: 'tokens', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const telemetry = await openTelemetry('tokens', config, { logger, lifecycle });
      const index = await openTokenIndex(
        { dataDir: config.DATA_DIR, mongodbUrl: config.MONGODB_URL },
        lifecycle,
      );
      await startMetricsServer(telemetry, lifecycle, { host: config.HOST, port: config.METRICS_PORT });
      if (config.TOKENS_INDEX === 'on') indexFrom(config, { logger, lifecycle, telemetry, index });
      const publicUrl = config.PUBLIC_URL;
      const app = createTokens({ index, publicUrl, logger, ids: randomIds, lifecycle, telemetry });
      await listen(app, lifecycle, 'tokens', { host: config.HOST, port: config.PORT });
    },
  };
});
