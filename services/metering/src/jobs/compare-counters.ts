/** Compares a sample of the counters' copy with the ledger, and removes from the copy what is wrong. */
import type { Platform } from '@hindsight/kernel/platform.ts';
import { Job } from '@hindsight/kernel/job.ts';
import {
  compareCounters,
  DISAGREEMENTS,
  type CompareDeps,
  type Disagreement,
} from '@hindsight/usage/counters/compare.ts';
import { openMonths } from '@hindsight/usage/reconcile.ts';

const FIRST_AFTER_MS = 90_000;
const EVERY_MS = 3_600_000;
const SAMPLE = 1_000;

type Deps = CompareDeps & Pick<Platform, 'clock' | 'logger' | 'telemetry'>;

/** The job; not started yet. */
export function compareHourly(deps: Deps): Job {
  const { clock, logger, telemetry } = deps;
  let last: readonly Disagreement[] | undefined;
  telemetry
    ?.meter('hindsight.usage')
    .createObservableGauge('hindsight.usage.counters.disagreements', {
      description: 'Counters in Redis that disagreed with the ledger at the last comparison of a sample',
    })
    .addCallback((gauge) => {
      if (last === undefined) return;
      for (const kind of Object.keys(DISAGREEMENTS))
        gauge.observe(last.filter((one) => one.kind === kind).length, { kind });
    });
  return new Job({
    name: 'comparison of counters',
    everyMs: EVERY_MS,
    firstAfterMs: FIRST_AFTER_MS,
    logger,
    async work(signal) {
      const found: Disagreement[] = [];
      for (const month of openMonths(clock.now())) {
        const comparison = await compareCounters(deps, { month, sample: SAMPLE, repair: true, signal });
        const { compared, absent, disagreeing, disagreements } = comparison;
        found.push(...disagreements);
        if (disagreeing > 0)
          logger.error({ month, disagreeing, first: disagreements[0] }, 'usage counters in Redis disagree');
        else logger.info({ month, compared, absent }, 'usage counters in Redis are compared');
      }
      last = found;
    },
  });
}
