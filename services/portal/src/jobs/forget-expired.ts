import type { Clock } from '@hindsight/shared/clock.ts';
import type { Lifecycle } from '@hindsight/shared/lifecycle.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import { MINUTE_MS } from '../domain/durations.ts';
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
  const forget = (): void => {
    stores.removeExpired(clock.now()).catch((err: unknown) => {
      logger.warn({ err }, 'expired sessions and tickets could not be removed; retrying later');
    });
  };
  const timer = setInterval(forget, everyMs);
  timer.unref();
  lifecycle.onStop('forgetting of sessions', () => clearInterval(timer));
}
