import type { EventBus, Subscription } from '@hindsight/shared/bus/port.ts';
import type { Clock } from '@hindsight/shared/clock.ts';
import type { ReadinessCheck } from '@hindsight/shared/readiness.ts';
import { createHttpServer } from '@hindsight/shared/http/server.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { Ids } from '@hindsight/shared/ids.ts';
import type { Lifecycle } from '@hindsight/shared/lifecycle.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import type { Telemetry } from '@hindsight/shared/telemetry.ts';
import type { UsageStore } from '@hindsight/shared/usage/ports.ts';
import { countOrders } from './consumers/orders-received.ts';
import { countUsage } from './consumers/usage-recorded.ts';
import { giveUpLanes } from './jobs/give-up-lanes.ts';
import { reconcileHourly } from './jobs/reconcile.ts';
import { watchLanes } from './jobs/watch-lanes.ts';

export { METERING_SETTINGS } from './settings.ts';

/** What the service stands on. */
export interface MeteringDeps {
  readonly usage: UsageStore;
  readonly bus: Pick<EventBus, 'subscribe' | 'check'>;
  /** Gateways that were silent for so long lose their units; 0 for never. */
  readonly lanesGivenUpAfterHours: number;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  readonly telemetry?: Telemetry | undefined;
  readonly checks?: readonly ReadinessCheck[];
}

/** Events that are counted by one write of each record they touch. */
const EVENTS_AT_ONCE = 5_000;
/** While the store writes one batch, another is read. */
const PARTITIONS_AT_ONCE = 3;

/** Creates the metering: what is told on the bus is counted once. The server answers for its health only. */
export function createMetering(deps: MeteringDeps): HttpServer {
  const { usage, bus, lanesGivenUpAfterHours, logger, clock, ids, lifecycle, telemetry, checks = [] } = deps;
  const requests = telemetry?.meter('hindsight.metering').createCounter('hindsight.usage.requests', {
    description: 'Requests in usage events, repetitions included',
  });
  const subscriptions = [
    bus.subscribe(
      {
        group: 'metering',
        topics: ['usage.recorded'],
        maxBatch: EVENTS_AT_ONCE,
        partitionsAtOnce: PARTITIONS_AT_ONCE,
      },
      countUsage({
        ...{ usage, clock },
        onCounted: (count) => requests?.add(count),
        onClosed: (lane, units) => logger.info({ lane, units }, 'a lane is closed; its units are free again'),
      }),
    ),
    bus.subscribe(
      { group: 'metering-orders', topics: ['orders.received'], maxBatch: EVENTS_AT_ONCE },
      countOrders(usage, clock),
    ),
  ];
  const open: Subscription[] = [];
  for (const joined of subscriptions) {
    joined.then(
      (subscription) => open.push(subscription),
      (err: unknown) => logger.error({ err }, 'usage is not heard of'),
    );
  }
  // Before the store is closed; one that has not joined yet is ended with the bus.
  lifecycle.onStop('metering', () => Promise.all(open.map((subscription) => subscription.close())));
  lifecycle.onStop('watch on lanes', watchLanes({ usage, logger, telemetry }));
  const giveUp = giveUpLanes({ usage, bus, afterHours: lanesGivenUpAfterHours, logger, telemetry });
  lifecycle.onStop(
    'reconciliation',
    reconcileHourly({ usage, giveUpLanes: giveUp, clock, logger, telemetry }),
  );
  return createHttpServer({
    logger,
    ids,
    lifecycle,
    checks,
    observed: telemetry && { service: 'metering', telemetry },
  });
}
