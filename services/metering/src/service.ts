import { closeAtStop } from '@hindsight/bus/close-at-stop.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { createHttpServer } from '@hindsight/http/server.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { CompareDeps } from '@hindsight/usage/counters/compare.ts';
import type { CounterPublisher } from '@hindsight/usage/counters/ports.ts';
import type { RecordName } from '@hindsight/usage/calendar.ts';
import type { CountingProgress } from '@hindsight/usage/counting/ports.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { countOrders } from './consumers/orders-received.ts';
import { onChangedAlerts } from './consumers/projects-changed.ts';
import { countUsage } from './consumers/usage-recorded.ts';
import { compareHourly } from './jobs/compare-counters.ts';
import { ALERTS_GROUP, COUNTING_GROUPS } from './groups.ts';
import { reportLag } from './consumer-lag.ts';
import { noteProgress } from './jobs/note-progress.ts';
import { alertRelay } from './jobs/publish-alerts.ts';
import type { PeerWatch } from './peer-watch.ts';
import { reconcileHourly } from './jobs/reconcile.ts';
import { ThresholdWatch, type AlertDeps } from './threshold-watch.ts';

export interface MeteringDeps extends Platform {
  readonly usage: UsageStore;
  /** Records how far counting has come. */
  readonly progress?: CountingProgress | undefined;
  /** Milliseconds between two such records; by default a second. */
  readonly progressEveryMs?: number;
  /** Copies the counters to the store that readers use; absent if they read the ledger. */
  readonly publisher?: CounterPublisher | undefined;
  /** The copy and the ledger, to be compared. */
  readonly comparison?: CompareDeps | undefined;
  /** Thresholds that owners are alerted at; not given where there are no projects. */
  readonly alerting?: AlertDeps | undefined;
  /** Takes over from other processes that have died; not given where there are none. */
  readonly peers?: Pick<PeerWatch, 'start' | 'stop'> | undefined;
  readonly bus: Pick<EventBus, 'subscribe' | 'publish' | 'progress'>;
  readonly checks?: readonly ReadinessCheck[];
}

/** Events that are counted by one write of each record they touch. */
const EVENTS_AT_ONCE = 5_000;
/** While the store writes one batch, the next is read. */
const PARTITIONS_AT_ONCE = 3;

/** Creates the metering service: each event on the bus is counted once. Its server only reports its health. */
export function createMetering(deps: MeteringDeps): HttpServer {
  const { publisher, progress, comparison, alerting, peers, bus } = deps;
  const { logger, clock, ids, lifecycle, telemetry, checks = [] } = deps;
  const relay = alerting && alertRelay({ ...deps, ...alerting });
  const watch = alerting && new ThresholdWatch({ ...alerting, clock, onReached: () => relay?.nudge() });
  const usage = thenDone(deps.usage, async (records) => {
    await publisher?.publish(records);
    await watch?.check(records);
  });
  const requests = telemetry?.meter('hindsight.metering').createCounter('hindsight.usage.requests', {
    description: 'Requests in usage events, repetitions included',
  });
  if (telemetry !== undefined) reportLag(bus, telemetry);
  // Before it joins, and until it has left: without signs of life it would be expelled.
  peers?.start();
  // The others forget it in a minute.
  lifecycle.onStop('watch over other processes', () => peers?.stop(), Infinity);
  const subscriptions = [
    bus.subscribe(
      {
        group: COUNTING_GROUPS.usage.group,
        topics: [COUNTING_GROUPS.usage.topic],
        maxBatch: EVENTS_AT_ONCE,
        partitionsAtOnce: PARTITIONS_AT_ONCE,
      },
      countUsage({
        usage,
        clock,
        onCounted: (count) => requests?.add(count),
        onClosed: (producer, units) =>
          logger.info({ producer, units }, 'a gateway instance has ended; its unspent units are free again'),
      }),
    ),
    bus.subscribe(
      {
        group: COUNTING_GROUPS.orders.group,
        topics: [COUNTING_GROUPS.orders.topic],
        maxBatch: EVENTS_AT_ONCE,
      },
      countOrders(usage, clock),
    ),
  ];
  if (watch !== undefined) {
    const { group, topic } = ALERTS_GROUP;
    subscriptions.push(
      bus.subscribe(
        { group, topics: [topic] },
        onChangedAlerts((project) => watch.checkAgain(project)),
      ),
      // Any process may count what reaches a threshold, so each must drop what it remembers. Old events find nothing.
      bus.subscribe(
        { group: `${group}-${ids.next()}`, topics: [topic] },
        onChangedAlerts((project) => watch.checkRemembered(project)),
      ),
    );
  }
  // Before the store is closed.
  closeAtStop(lifecycle, 'metering', subscriptions);
  if (progress !== undefined)
    noteProgress({ ...deps, progress, everyMs: deps.progressEveryMs }).startIn(lifecycle);
  relay?.startIn(lifecycle);
  reconcileHourly({ ...deps, usage }).startIn(lifecycle);
  if (comparison !== undefined) compareHourly({ ...deps, ...comparison }).startIn(lifecycle);
  const observed = telemetry && { service: 'metering', telemetry };
  return createHttpServer({ logger, ids, lifecycle, checks, observed });
}

/** The ledger, with what is done about each batch before its events are acknowledged. */
function thenDone(usage: UsageStore, work: (records: readonly RecordName[]) => Promise<void>): UsageStore {
  return {
    ...usage,
    async apply(records) {
      const refusals = await usage.apply(records);
      // Repetitions too: the process that was first may have been killed before it came to this.
      await work(records);
      return refusals;
    },
  };
}
