import type { Platform } from '@hindsight/kernel/platform.ts';
import { Job } from '@hindsight/kernel/job.ts';
import { MINUTE_MS } from '@hindsight/kernel/durations.ts';
import type { AccountStores } from '../ports.ts';

const EVERY_MS = 10 * MINUTE_MS;

interface Deps extends Pick<Platform, 'clock' | 'logger' | 'lifecycle'> {
  readonly stores: Pick<AccountStores, 'removeExpired'>;
}

/** Removes expired sessions, tickets and tallies periodically. Any number of processes may do so. */
export function forgetExpired({ stores, clock, logger, lifecycle }: Deps, everyMs = EVERY_MS): void {
  new Job({
    name: 'removal of expired sessions',
    work: () => stores.removeExpired(clock.now()),
    everyMs,
    firstAfterMs: everyMs,
    logger,
  }).startIn(lifecycle);
}
