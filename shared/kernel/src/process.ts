/** Shared by every main.ts: configuration faults, signals, exit codes. */
import { ConfigError, type Environment } from './config.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Logger } from './logger.ts';

interface Running {
  readonly logger: Logger;
  /** Milliseconds after SIGTERM in which requests are still accepted. */
  readonly drainMs: number;
  /** Starts the process's parts and registers with the lifecycle how they stop. */
  start(lifecycle: Lifecycle): Promise<void>;
}

/**
 * Runs a process: `prepare` reads the configuration, `start` brings the parts up, SIGTERM drains it and takes them down, SIGINT
 * does so at once.
 * Exit codes: 0 after a clean stop, 1 after a failure, 2 for a faulty configuration.
 */
export async function runProcess(env: Environment, prepare: (env: Environment) => Running): Promise<void> {
  let running: Running;
  try {
    running = prepare(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  const { logger, drainMs } = running;
  const lifecycle = createLifecycle(logger);
  let failed = false;
  const end = (reason: string, failure: boolean, drain = 0): void => {
    failed ||= failure;
    void lifecycle.shutdown(reason, drain).then((code) => {
      logger.flush();
      process.exit(failed ? 1 : code);
    });
  };
  // Not `once`: npm passes on a signal that the terminal has sent to both, and the second would end the process at once.
  process.on('SIGTERM', () => end('SIGTERM', false, drainMs));
  process.on('SIGINT', () => end('SIGINT', false));
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'uncaught exception');
    end('uncaught exception', true);
  });
  try {
    await running.start(lifecycle);
  } catch (err) {
    if (err instanceof ConfigError) process.stderr.write(`${err.message}\n`);
    // A start that a stop has cut short is no failure.
    else logger[lifecycle.stopping ? 'info' : 'fatal']({ err }, 'could not start');
    end('could not start', !lifecycle.stopping);
  }
}
