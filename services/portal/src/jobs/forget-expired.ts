import type { Clock } from '@hindsight/kernel/clock.ts';
import { Job } from '@hindsight/kernel/job.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { MINUTE_MS } from '@hindsight/kernel/durations.ts';
import type { AccountStores } from '../ports.ts';

const EVERY_MS = 10 * MINUTE_MS;

interface Deps {
  readonly stores: Pick<AccountStores, 'removeExpired'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
}

/** Removes expired sessions, tickets and tallies periodically. Any number of processes may do so. */
export function forgetExpired({ stores, clock, logger, lifecycle }: Deps, everyMs = EVERY_MS): void {
  const job = new Job({
    name: 'removal of expired sessions',
    work: () => stores.removeExpired(clock.now()),
    everyMs,
    firstAfterMs: everyMs,
    logger,
  });
  job.start();
  lifecycle.onStop('removal of expired sessions', () => job.stop());
}
