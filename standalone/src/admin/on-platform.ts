/** The parts of a process, for one command. */
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';

/** Runs a command, and closes what it has opened. A command prints its result, and logs nothing. */
export async function onPlatform<T>(command: (platform: Platform) => Promise<T>): Promise<T> {
  const logger = createLogger({ name: 'admin', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  try {
    return await command({ logger, clock: systemClock, ids: randomIds, lifecycle });
  } finally {
    await lifecycle.shutdown('the command is done');
  }
}
