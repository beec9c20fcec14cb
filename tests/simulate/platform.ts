/** The platform of a simulated process. */
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { Machine, Process } from './machine/machine.ts';

/** Its clock and its ids are the machine's, and it logs nothing. */
export function platformOf(machine: Machine, process: Process): Platform {
  const logger = createLogger({ name: process.name, level: 'silent' });
  const clock = { now: () => machine.wallClock(process) };
  return { logger, clock, ids: { next: () => machine.random.uuid() }, lifecycle: createLifecycle(logger) };
}
