/** Gives back the units of gateways that do not come back. */
import type { EventBus } from '@hindsight/shared/bus/port.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import type { Telemetry } from '@hindsight/shared/telemetry.ts';
import type { LaneRegistry } from '@hindsight/shared/usage/ports.ts';
import { SilentLanes } from '@hindsight/shared/usage/silent-lanes.ts';

const HOUR_MS = 3_600_000;

interface Parts {
  readonly usage: Pick<LaneRegistry, 'openLanes' | 'giveUpLane'>;
  readonly bus: Pick<EventBus, 'check'>;
  /** Silent for so long; 0 for never. */
  readonly afterHours: number;
  readonly logger: Logger;
  readonly telemetry?: Telemetry | undefined;
}

/** What is to be done now and then. @returns one look at the lanes, which resolves to how many were given up */
export function giveUpLanes({ usage, bus, afterHours, logger, telemetry }: Parts): () => Promise<number> {
  const meter = telemetry?.meter('hindsight.metering');
  const lanes = meter?.createCounter('hindsight.usage.lanes.given_up', {
    description: 'Lives of gateways that were given up by themselves',
  });
  const units = meter?.createCounter('hindsight.usage.units.given_up', {
    description: 'Units that came back so',
  });
  const silent = new SilentLanes(usage, afterHours * HOUR_MS);
  return async () => {
    if (afterHours === 0) return 0;
    try {
      // What gateways have sent may wait there: no word of them is none only where it could be heard.
      await bus.check();
    } catch (err) {
      silent.forget();
      logger.warn({ err }, 'the bus is away: no lane is given up');
      return 0;
    }
    let count = 0;
    await silent.look((lane) => {
      logger.warn(lane, 'a gateway did not come back: its lane is given up, its units are free again');
      lanes?.add(1);
      units?.add(lane.units);
      count++;
    });
    return count;
  };
}
