import { openBus } from '@hindsight/shared/bus/open.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
import { openTelemetry } from '@hindsight/shared/telemetry.ts';
import { openUsage } from '@hindsight/shared/usage/open.ts';
import { readConfig } from './config.ts';
import { createMetering } from './service.ts';

await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const { HOST: host, DATA_DIR: dataDir, MONGODB_URL: mongodbUrl, KAFKA_BROKERS: brokers } = config;
  const logger = createLogger({ name: 'metering', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const telemetry = await openTelemetry('metering', config, { logger, lifecycle });
      const platform = { logger, clock: systemClock, ids: randomIds, lifecycle, telemetry };
      const { bus, check: busCheck } = await openBus({ brokers, dataDir }, platform);
      const { usage, check } = await openUsage({ dataDir, mongodbUrl }, lifecycle);
      await startMetricsServer(telemetry, lifecycle, { host, port: config.METRICS_PORT });
      const app = createMetering({
        ...platform,
        usage,
        bus,
        checks: [check, busCheck],
      });
      await listen(app, lifecycle, 'metering', { host, port: config.PORT });
    },
  };
});
