/** Compares the counters with their recomputed values, settles past months, and removes old records. */
import type { Platform } from '@hindsight/kernel/platform.ts';
import { Job } from '@hindsight/kernel/job.ts';
import { PRODUCER_FORGOTTEN_MS, PRODUCER_PRUNED_MS } from '@hindsight/usage/lateness.ts';
import type { UsageUpkeep } from '@hindsight/usage/ports.ts';
import { auditMonth, COMPARISONS, openMonths, type Difference } from '@hindsight/usage/reconcile.ts';

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 3_600_000;
const SETTLED_AT_ONCE = 200;

interface Deps extends Pick<Platform, 'clock' | 'logger' | 'telemetry'> {
  readonly usage: UsageUpkeep;
}

/** One run; several processes may do so at once. Ends at the next step once the signal is aborted. */
async function reconcile({ usage, clock, logger }: Deps, signal: AbortSignal): Promise<Difference[]> {
  const months = openMonths(clock.now());
  const differences: Difference[] = [];
  for (const month of months) {
    signal.throwIfAborted();
    const { differences: found, differing } = await auditMonth(usage, month);
    differences.push(...found);
    if (differing > 0) logger.error({ month, differing, first: found[0] }, 'usage does not add up');
  }
  let settled = 0;
  const oldest = months.at(-1);
  for (let some = SETTLED_AT_ONCE; oldest !== undefined && some === SETTLED_AT_ONCE; settled += some) {
    signal.throwIfAborted();
    some = await usage.settle(oldest, SETTLED_AT_ONCE);
  }
  signal.throwIfAborted();
  const { pruned } = await usage.tidyProducers({
    months,
    closedMs: PRODUCER_PRUNED_MS,
    endedMs: PRODUCER_FORGOTTEN_MS,
  });
  const found = { months, differences: differences.length, settled, pruned };
  logger.info(found, 'usage is reconciled');
  return differences;
}

/** The job; not started yet. */
export function reconcileHourly(deps: Deps): Job {
  const { logger, telemetry } = deps;
  let last: readonly Difference[] | undefined;
  telemetry
    ?.meter('hindsight.metering')
    .createObservableGauge('hindsight.usage.differences', {
      description: 'Counters that differed from their recomputed values at the last comparison',
    })
    .addCallback((gauge) => {
      // Before the first comparison nothing is known to agree.
      if (last === undefined) return;
      for (const comparison of Object.keys(COMPARISONS)) {
        const found = last.filter((one) => one.comparison === comparison);
        gauge.observe(found.length, { comparison });
      }
    });
  return new Job({
    name: 'reconciliation of usage',
    work: async (signal) => void (last = await reconcile(deps, signal)),
    everyMs: EVERY_MS,
    firstAfterMs: FIRST_AFTER_MS,
    logger,
  });
}
