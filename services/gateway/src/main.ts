import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { createPoolUpstream } from '@hindsight/shared/http/upstream.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
import { openProjects } from '@hindsight/shared/projects/open.ts';
import { createTelemetry } from '@hindsight/shared/telemetry.ts';
import { readConfig } from './config.ts';
import { createGateway } from './service.ts';

await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const logger = createLogger({ name: 'gateway', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const { projects, check } = await openProjects(
        {
          dataDir: config.DATA_DIR,
          mongodbUrl: config.MONGODB_URL,
          secret: config.SECRETS_KEY,
          previousSecrets: config.SECRETS_KEY_PREVIOUS,
        },
        { clock: systemClock, ids: randomIds, lifecycle },
      );
      const balance = createPoolUpstream({
        origin: config.BALANCE_URL,
        headersTimeout: config.UPSTREAM_TIMEOUT_MS,
      });
      lifecycle.onStop('balance upstream', () => balance.close());
      await startMetricsServer(createTelemetry(), lifecycle, {
        host: config.HOST,
        port: config.METRICS_PORT,
      });
      const app = createGateway({
        projects,
        upstreams: { balance },
        logger,
        ids: randomIds,
        lifecycle,
        checks: [check],
      });
      await listen(app, lifecycle, 'gateway', { host: config.HOST, port: config.PORT });
    },
  };
});
