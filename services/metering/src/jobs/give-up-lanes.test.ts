import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { byRecord } from '@hindsight/shared/usage/fold.ts';
import { openJobWorld, type JobWorld } from '../testing/job-world.ts';
import { giveUpLanes } from './give-up-lanes.ts';

const HOUR_MS = 3_600_000;
const MONTH = '2026-11';
let world: JobWorld;
/** Whether Kafka answers. */
let busAway: boolean;
let look: () => Promise<number>;

/** Another process that does the same. */
const instance = (afterHours: number): (() => Promise<number>) => {
  const check = async (): Promise<void> => {
    if (busAway) throw new Error('away');
  };
  const { seen: usage, logger, telemetry } = world;
  return giveUpLanes({ usage, bus: { check }, afterHours, logger, telemetry });
};

beforeEach(async () => {
  world = await openJobWorld(Date.UTC(2026, 10, 21, 12));
  busAway = false;
  look = instance(24);
});

afterEach(() => world.close());

/** A gateway takes a hundredth of what is left. */
const gateway = async (lane: string): Promise<void> => {
  await world.usage.renewLane(lane);
  await world.usage.take({ project: 'p', month: MONTH, lane, limit: 100_000, atLeast: 1 });
};
const pass = (hours: number): void => void (world.clock.time += hours * HOUR_MS);
const lanes = async (): Promise<string[]> => (await world.usage.openLanes(100)).map(({ lane }) => lane);
const taken = async (): Promise<number> => (await world.usage.read('p', MONTH)).taken;

describe('giving up lanes', () => {
  it('frees the units of a gateway that was silent for a day, at two looks, with one line', async () => {
    await gateway('dead');
    pass(1);
    await gateway('living');
    pass(22.5);
    expect(await look()).toBe(0);
    pass(1);
    await world.usage.renewLane('living');
    expect(await look()).toBe(0);
    expect([await lanes(), await taken()]).toEqual([['dead', 'living'], 1_990]);
    pass(1);
    expect(await look()).toBe(1);
    expect([await lanes(), await taken()]).toEqual([['living'], 990]);
    const line = { level: 'warn', lane: 'dead', records: 1, units: 1_000, silentMs: 25.5 * HOUR_MS };
    expect(world.lines()).toEqual([expect.objectContaining(line)]);
    expect(await world.gauges('hindsight_usage_')).toEqual({
      lanes_given_up_total: 1,
      units_given_up_total: 1_000,
    });
    pass(1);
    expect(await look()).toBe(0);
    expect(world.lines()).toEqual([]);
  });

  it('spares one that was heard of between two looks', async () => {
    await gateway('one');
    pass(30);
    await look();
    await world.usage.renewLane('one');
    pass(1);
    expect(await look()).toBe(0);
    pass(24);
    expect(await look()).toBe(0);
    pass(1);
    expect(await look()).toBe(1);
  });

  it('begins anew after the store was away: nobody could be heard', async () => {
    await gateway('one');
    pass(30);
    await look();
    world.away = true;
    await expect(look()).rejects.toThrow('away');
    world.away = false;
    expect(await look()).toBe(0);
    expect(await look()).toBe(1);
  });

  it('begins anew after the bus was away: what gateways have sent may wait there', async () => {
    await gateway('one');
    pass(30);
    await look();
    busAway = true;
    expect(await look()).toBe(0);
    expect(world.lines()).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'the bus is away: no lane is given up' }),
    ]);
    busAway = false;
    expect(await look()).toBe(0);
    expect(await look()).toBe(1);
  });

  it('never happens where the setting is 0', async () => {
    const never = instance(0);
    await gateway('one');
    for (let days = 0; days < 5; days++, pass(24)) expect(await never()).toBe(0);
    expect(await lanes()).toEqual(['one']);
  });

  it('does no harm when several instances look at once, nor when the gateway is heard of after all', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `lane-${i}`);
    for (const name of names) await gateway(name);
    pass(30);
    const looks = [look, instance(24), instance(24)];
    await Promise.all(looks.map((one) => one()));
    const held = await taken();
    await Promise.all(looks.map((one) => one()));
    expect([await lanes(), await taken()]).toEqual([[], 0]);
    const units = world.lines().map((line) => Number(line.units));
    expect(units.reduce((sum, one) => sum + one, 0)).toBe(held);
    const entry = { project: 'p', day: '2026-11-21', endpoint: 'x', requests: 3, orders: 0 };
    const late = byRecord(names.map((lane) => ({ lane, sequence: 0, entries: [entry] })));
    for (let times = 0; times < 2; times++) expect(await world.usage.apply(late)).toEqual([]);
    expect(await world.usage.read('p', MONTH)).toMatchObject({ requests: 60, taken: 60 });
  });
});
