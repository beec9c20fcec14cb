/** The counters without a copy: the ledger is at hand. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { UsageReader } from '../ports.ts';
import type { CountingProgress } from '../counting/ports.ts';
import type { MonthCounters } from './ports.ts';

/** Reads the ledger itself. @param progress how far counting has come; as of now if not given */
export function ledgerCounters(
  ledger: UsageReader,
  clock: Clock,
  progress?: Pick<CountingProgress, 'countedTo'>,
): MonthCounters {
  return {
    async read(project, month) {
      const now = clock.now();
      const asOf = (await progress?.countedTo()) ?? now;
      return { ...(await ledger.read(project, month)), asOf, from: 'ledger' };
    },
    // Its own lease reads the ledger anyway.
    takenAtHand: async () => undefined,
  };
}
