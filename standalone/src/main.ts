import { createBalance } from '@hindsight/balance/service.ts';
import { createGateway } from '@hindsight/gateway/service.ts';
import { nodeReadiness } from '@hindsight/shared/chain/readiness.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { startMetricsServer } from '@hindsight/shared/http/metrics-server.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { createInProcessUpstream } from '@hindsight/shared/http/upstream.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { runProcess } from '@hindsight/shared/process.ts';
import { ensureDemoProject } from '@hindsight/shared/projects/create-project.ts';
import { openProjects } from '@hindsight/shared/projects/open.ts';
import { embeddedSecret } from '@hindsight/shared/projects/secrets-file.ts';
import { createTelemetry } from '@hindsight/shared/telemetry.ts';
import { readConfig } from './config.ts';
import { openChain } from './nodes.ts';
import { welcome } from './welcome.ts';

/** Everything in one process, on the embedded default. */
await runProcess(process.env, (env) => {
  const config = readConfig(env);
  const logger = createLogger({ name: 'hindsight', level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
  return {
    logger,
    async start(lifecycle) {
      const platform = { logger, ids: randomIds, clock: systemClock, lifecycle };
      const secret = config.SECRETS_KEY ?? embeddedSecret(config.DATA_DIR);
      const { projects, check } = await openProjects({ dataDir: config.DATA_DIR, secret }, platform);
      const demo = await ensureDemoProject({ projects, ...platform }, config.DEMO_KEY);
      const { node, embedded } = await openChain(config, lifecycle, logger);

      const balance = createBalance({ node, ...platform });
      const upstreams = { balance: createInProcessUpstream(balance) };
      const gateway = createGateway({ projects, upstreams, checks: [check, nodeReadiness(node)], ...platform });
      await startMetricsServer(createTelemetry(), lifecycle, {
        host: config.HOST,
        port: config.METRICS_PORT,
      });
      const url = await listen(gateway, lifecycle, 'gateway', { host: config.HOST, port: config.PORT });
      process.stdout.write(welcome({ url, demoKey: demo.key, embedded }));
    },
  };
});
