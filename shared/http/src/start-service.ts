/** Starts a service from main.ts: settings, log, telemetry, metrics, listening, shutdown. */
import cluster from 'node:cluster';
import { systemClock } from '@hindsight/kernel/clock.ts';
import type { Config, Environment } from '@hindsight/kernel/config.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { disablePretenuring } from '@hindsight/kernel/pretenuring.ts';
import { runProcess } from '@hindsight/kernel/process.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { deferParserCompilation } from '@hindsight/kernel/response-parser.ts';
import { collectStartGarbage } from '@hindsight/kernel/start-garbage.ts';
import type { serviceSettings } from '@hindsight/kernel/service-settings.ts';
import { openTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { listenAt } from './listen-at.ts';
import { startMetricsServer } from './metrics-server.ts';
import { listen } from './server.ts';
import type { HttpServer } from './types.ts';
import { joinPrimary, Workers } from './workers.ts';

type ServiceConfig = Config<ReturnType<typeof serviceSettings>> & {
  /** Number of processes that share the work; only for services that support it. */
  readonly WORKERS?: number;
};

/** The parts of a process that exist before any service is opened. */
export interface ProcessDeps extends Platform {
  readonly telemetry: Telemetry;
  /** The process's own checks for `/readyz`. */
  readonly checks: readonly ReadinessCheck[];
}

interface Start<C, Result> {
  readonly env: Environment;
  /** Reads the settings. @throws {ConfigError} */
  readonly readConfig: (env: Environment) => C;
  /** Opens what the process needs, registered with the lifecycle, and creates its parts. */
  readonly create: (config: C, deps: ProcessDeps) => Result | Promise<Result>;
}

/** Runs a process that serves its metrics; `create` starts its work. @see runProcess */
export async function startProcess<C extends ServiceConfig>(
  name: string,
  { env, readConfig, create }: Start<C, void>,
): Promise<void> {
  await runProcess(env, () => {
    const config = readConfig(env);
    const logger = createLogger({ name, level: config.LOG_LEVEL, pretty: process.stdout.isTTY });
    return {
      logger,
      drainMs: config.DRAIN_MS,
      async start(lifecycle) {
        deferParserCompilation();
        disablePretenuring();
        const telemetry = await openTelemetry(name, config, { logger, lifecycle });
        const deps = { logger, clock: systemClock, ids: randomIds, lifecycle, telemetry };
        // A worker's metrics are served by its primary.
        if (cluster.isWorker)
          return void (await create(config, { ...deps, checks: [joinPrimary(telemetry)] }));
        const { WORKERS: wanted = 1 } = config;
        const workers = wanted > 1 ? new Workers(wanted, deps) : undefined;
        const metricsText = (): Promise<string> => workers?.metricsText(telemetry) ?? telemetry.metricsText();
        await listenAt('METRICS_PORT', { host: config.HOST, port: config.METRICS_PORT }, (address) =>
          startMetricsServer({ metricsText }, lifecycle, address),
        );
        await (workers?.start() ?? create(config, { ...deps, checks: [] }));
      },
    };
  });
}

export async function startService<C extends ServiceConfig>(
  name: string,
  { env, readConfig, create }: Start<C, HttpServer>,
): Promise<void> {
  await startProcess(name, {
    env,
    readConfig,
    async create(config: C, deps) {
      const app = await create(config, deps);
      collectStartGarbage();
      await listenAt('PORT', { host: config.HOST, port: config.PORT }, (address) =>
        listen(app, deps.lifecycle, name, address),
      );
    },
  });
}
