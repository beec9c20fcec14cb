/** Looks at the lanes that are open: those of gateways that live, and those that wait for the next life of a dead one. */
import type { Logger } from '@hindsight/shared/logger.ts';
import type { Telemetry } from '@hindsight/shared/telemetry.ts';
import { LANE_DEAD_MS } from '@hindsight/shared/usage/lane-life.ts';
import type { LaneRegistry, OpenLane } from '@hindsight/shared/usage/ports.ts';

const EVERY_MS = 60_000;
const MOST_LANES = 1_000;

interface Parts {
  readonly usage: Pick<LaneRegistry, 'openLanes'>;
  readonly logger: Logger;
  readonly telemetry?: Telemetry | undefined;
}

/** Starts the job. @returns how it is stopped */
export function watchLanes({ usage, logger, telemetry }: Parts): () => void {
  let lanes: readonly OpenLane[] = [];
  const dead = (): readonly OpenLane[] => lanes.filter(({ silentMs }) => silentMs > LANE_DEAD_MS);
  const units = (some: readonly OpenLane[]): number => some.reduce((sum, lane) => sum + lane.units, 0);
  const told = new Set<string>();
  const meter = telemetry?.meter('hindsight.metering');
  const gauge = (name: string, description: string, value: () => number): void => {
    meter?.createObservableGauge(name, { description }).addCallback((found) => found.observe(value()));
  };
  gauge('hindsight.usage.lanes.open', 'Lives of gateways that are not closed', () => lanes.length);
  gauge('hindsight.usage.lanes.dead', 'Of these, lives that have ended without a word', () => dead().length);
  gauge('hindsight.usage.units.held', 'Units taken and not counted yet', () => units(lanes));
  gauge('hindsight.usage.units.dead', 'Of these, units of lives that have ended', () => units(dead()));
  const look = async (): Promise<void> => {
    lanes = await usage.openLanes(MOST_LANES);
    const silent = dead();
    for (const lane of silent) {
      if (told.has(lane.lane)) continue;
      told.add(lane.lane);
      logger.warn(
        lane,
        'a gateway has ended without a word: start it again on its DATA_DIR; if that is lost, its units are free after LANES_GIVEN_UP_AFTER_HOURS, or at once by `admin usage close-lane`',
      );
    }
    // One that is heard of again may end a second time.
    for (const lane of told) if (!silent.some((one) => one.lane === lane)) told.delete(lane);
  };
  const timer = setInterval(() => {
    look().catch((err: unknown) => logger.warn({ err }, 'open lanes could not be read'));
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
