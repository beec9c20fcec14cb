import type { EventBus } from '@hindsight/bus/port.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { COUNTING_GROUPS } from './groups.ts';

/** Reports how many events wait to be counted. Each instance reports those of the whole group. */
export function reportLag(bus: Pick<EventBus, 'progress'>, telemetry: Telemetry): void {
  const lag = telemetry.meter('hindsight.metering').createObservableGauge('hindsight.bus.consumer.lag', {
    unit: '{message}',
    description: 'Events that the group has not handled yet',
  });
  lag.addCallback(async (result) => {
    const reports = Object.values(COUNTING_GROUPS).map(async ({ group, topic }) => {
      // Without an answer there is no sample: the alerts on the broker are others.
      const partitions = await bus.progress(group, topic).catch(() => undefined);
      const of = { 'messaging.consumer.group.name': group, 'messaging.destination.name': topic };
      const waiting = partitions?.reduce((sum, one) => sum + one.waiting, 0);
      if (waiting !== undefined) result.observe(waiting, of);
    });
    await Promise.all(reports);
  });
}
