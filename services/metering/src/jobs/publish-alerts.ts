/** Publishes the events of thresholds that were reached: the relay of their outbox. */
import type { EventBus } from '@hindsight/bus/port.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { Job } from '@hindsight/kernel/job.ts';
import type { AlertStore, ThresholdReached } from '@hindsight/usage/alerts/ports.ts';

const EVERY_MS = 5_000;
/** Longer than a publish takes; after it another process publishes the same, with the same id. */
const CLAIMED_MS = 60_000;
const AT_ONCE = 50;

interface Deps extends Pick<Platform, 'clock' | 'logger'> {
  readonly alerts: Pick<AlertStore, 'claim' | 'published'>;
  readonly bus: Pick<EventBus, 'publish'>;
}

/** The job; not started yet. Any number of processes may run it. */
export function alertRelay({ alerts, bus, clock, logger }: Deps): Job {
  return new Job({
    name: 'publishing of usage alerts',
    everyMs: EVERY_MS,
    logger,
    async work() {
      const now = clock.now();
      const claimed = await alerts.claim({ now, until: now + CLAIMED_MS }, AT_ONCE);
      if (claimed.length === 0) return false;
      await bus.publish('usage.threshold', claimed.map(toEvent));
      await alerts.published(claimed);
      return claimed.length === AT_ONCE;
    },
  });
}

function toEvent({ project: projectId, month, threshold, requests, limit, at }: ThresholdReached) {
  return {
    type: 'usage-threshold-reached' as const,
    id: `${projectId}:${month}:${threshold}`,
    source: '/metering',
    time: at,
    data: { projectId, month, threshold, requests, limit, reachedAt: new Date(at).toISOString() },
  };
}
