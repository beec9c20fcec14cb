/** Sizes the first lease of a project's month by the counters; the ledger checks it like any other. */
import type { MonthCounters } from '@hindsight/usage/counters/ports.ts';
import type { LeaseRequest, QuotaLedger } from '@hindsight/usage/ports.ts';

/** The ledger for a gateway: a first lease does not read the record before. */
export function sizedByCounters(
  ledger: QuotaLedger,
  counters: Pick<MonthCounters, 'takenAtHand'>,
): QuotaLedger {
  return {
    async take(request: LeaseRequest) {
      if (request.isFirst !== true) return ledger.take(request);
      return ledger.take({ ...request, taken: await counters.takenAtHand(request.project, request.month) });
    },
    release: (releases) => ledger.release(releases),
  };
}
