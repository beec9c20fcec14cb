/** The counters without a copy: the ledger is at hand. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { UsageReader } from '../ports.ts';
import type { MonthCounters } from './ports.ts';

/** Reads the ledger itself. */
export function ledgerCounters(ledger: UsageReader, clock: Clock): MonthCounters {
  return {
    async read(project, month) {
      const asOf = clock.now();
      return { ...(await ledger.read(project, month)), asOf, from: 'ledger' };
    },
    // Its own lease reads the ledger anyway.
    takenAtHand: async () => undefined,
  };
}
