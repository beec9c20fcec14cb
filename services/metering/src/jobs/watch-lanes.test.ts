import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LANE_DEAD_MS } from '@hindsight/shared/usage/lane-life.ts';
import { openJobWorld, type JobWorld } from '../testing/job-world.ts';
import { watchLanes } from './watch-lanes.ts';

const MINUTE_MS = 60_000;
let world: JobWorld;
let stop: () => void;

beforeEach(async () => {
  world = await openJobWorld(Date.UTC(2026, 10, 21, 12));
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] });
  const { seen: usage, logger, telemetry } = world;
  stop = watchLanes({ usage, logger, telemetry });
});

afterEach(async () => {
  stop();
  jest.useRealTimers();
  await world.close();
});

const gauges = () => world.gauges('hindsight_usage_');
/** A gateway takes a hundredth of what is left. */
const gateway = async (lane: string): Promise<void> => {
  await world.usage.renewLane(lane);
  await world.usage.take({ project: 'p', month: '2026-11', lane, limit: 100_000, atLeast: 1 });
};
const look = () => jest.advanceTimersByTimeAsync(MINUTE_MS);
const die = async (living: string): Promise<void> => {
  world.clock.time += LANE_DEAD_MS + 1;
  await world.usage.renewLane(living);
};

describe('the watch on lanes', () => {
  it('measures how many lanes are open and what they hold, every minute', async () => {
    await gateway('one');
    expect(await gauges()).toEqual({ lanes_open: 0, lanes_dead: 0, units_held: 0, units_dead: 0 });
    await look();
    expect(await gauges()).toEqual({ lanes_open: 1, lanes_dead: 0, units_held: 1_000, units_dead: 0 });
    await gateway('two');
    await look();
    expect(await gauges()).toEqual({ lanes_open: 2, lanes_dead: 0, units_held: 1_990, units_dead: 0 });
    await world.usage.closeLane('one');
    await look();
    expect(await gauges()).toEqual({ lanes_open: 1, lanes_dead: 0, units_held: 990, units_dead: 0 });
    expect(world.lines()).toEqual([]);
  });

  it('warns once of a gateway that has ended without a word, and says what can be done', async () => {
    await gateway('living');
    await gateway('dead');
    await die('living');
    await look();
    expect(await gauges()).toEqual({ lanes_open: 2, lanes_dead: 1, units_held: 1_990, units_dead: 990 });
    expect(world.lines()).toEqual([
      expect.objectContaining({
        level: 'warn',
        lane: 'dead',
        units: 990,
        records: 1,
        silentMs: LANE_DEAD_MS + 1,
        msg: expect.stringMatching(/DATA_DIR.*close-lane/),
      }),
    ]);
    for (let minutes = 0; minutes < 10; minutes++) await look();
    expect(world.lines()).toEqual([]);
  });

  it('warns again of one that came back in between', async () => {
    await gateway('living');
    await gateway('cut off');
    await die('living');
    await look();
    await world.usage.renewLane('cut off');
    await look();
    expect(await gauges()).toMatchObject({ lanes_dead: 0, units_dead: 0 });
    await die('living');
    await look();
    expect(world.lines().map(({ lane }) => lane)).toEqual(['cut off', 'cut off']);
  });

  it('goes on after the store was away, and ends when it is told to', async () => {
    world.away = true;
    await look();
    expect(world.lines()).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'open lanes could not be read' }),
    ]);
    world.away = false;
    await gateway('one');
    await look();
    expect(await gauges()).toMatchObject({ lanes_open: 1 });
    stop();
    await world.usage.closeLane('one');
    await look();
    expect(await gauges()).toMatchObject({ lanes_open: 1 });
    expect(jest.getTimerCount()).toBe(0);
  });
});
