/** Looks at what gateways hold and have not counted: units that are about to be spent, or those of a dead gateway. */
import type { Clock } from '@hindsight/shared/clock.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import type { Telemetry } from '@hindsight/shared/telemetry.ts';
import { dayOf, monthOf } from '@hindsight/shared/usage/calendar.ts';
import type { OpenLane, UsageCounters } from '@hindsight/shared/usage/ports.ts';

const EVERY_MS = 60_000;
const MOST_LANES = 1_000;

interface Parts {
  readonly usage: UsageCounters;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry?: Telemetry | undefined;
}

/** Starts the job. @returns how it is stopped */
export function reportLeases({ usage, clock, logger, telemetry }: Parts): () => void {
  let lanes: readonly OpenLane[] = [];
  const meter = telemetry?.meter('hindsight.metering');
  meter
    ?.createObservableGauge('hindsight.usage.lanes.open', {
      description: 'Lives of gateways that hold units',
    })
    .addCallback((gauge) => gauge.observe(lanes.length));
  meter
    ?.createObservableGauge('hindsight.usage.units.held', { description: 'Units taken and not counted yet' })
    .addCallback((gauge) => gauge.observe(lanes.reduce((sum, { units }) => sum + units, 0)));
  const timer = setInterval(() => {
    usage.openLanes(monthOf(dayOf(clock.now())), MOST_LANES).then(
      (found) => {
        lanes = found;
        for (const lane of found) logger.debug(lane, 'a lane holds units');
      },
      (err: unknown) => logger.warn({ err }, 'open lanes could not be read'),
    );
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
