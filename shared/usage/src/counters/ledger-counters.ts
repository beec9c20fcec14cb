/** The counters without a copy, for processes beside the ledger. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { UsageReader } from '../ports.ts';
import type { CountingProgress } from '../counting/ports.ts';
import type { MonthCounters } from './ports.ts';

/** Reads the ledger itself. @param progress of counting; as of now if not given */
export function ledgerCounters(
  ledger: UsageReader,
  clock: Clock,
  progress?: Pick<CountingProgress, 'countedTo'>,
): MonthCounters {
  return {
    async read(project, month) {
      const now = clock.now();
      const countedTo = (await progress?.countedTo()) ?? now;
      const asOf = Math.min(countedTo, now);
      return { ...(await ledger.read(project, month)), asOf, from: 'ledger' };
    },
    // Its own lease reads the ledger anyway.
    takenAtHand: async () => undefined,
  };
}
