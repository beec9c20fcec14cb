import { createFailover } from '@hindsight/shared/chain/failover.ts';
import { createJsonRpcNode } from '@hindsight/shared/chain/json-rpc.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
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
      const nodes = config.ETH_RPC_URL.map((url) =>
        createJsonRpcNode({ url, timeoutMs: config.ETH_RPC_TIMEOUT_MS }),
      );
      const node = createFailover({ nodes, chainId: 1 });
      lifecycle.onStop('node', () => node.close());
      await startMetricsServer(telemetry, lifecycle, { host: config.HOST, port: config.METRICS_PORT });
      const app = createBalance({ node, logger, clock: systemClock, ids: randomIds, lifecycle, telemetry });
      await listen(app, lifecycle, 'balance', { host: config.HOST, port: config.PORT });
    },
  };
});
