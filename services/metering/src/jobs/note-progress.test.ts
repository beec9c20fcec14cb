import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { noteProgress, ProgressWatch } from './note-progress.ts';

it('the age of what is counted is not below zero after a clock was ahead', async () => {
  const telemetry = createTelemetry('test');
  let now = 5_000;
  const bus = { progress: async () => [] };
  noteProgress({ clock: { now: () => now }, telemetry, bus, progress: { note: async () => undefined } });
  const age = async (): Promise<string | undefined> =>
    /^hindsight_usage_counted_age\{.*\} (\S+)$/m.exec(await telemetry.metricsText())?.[1];
  now = 7_000;
  expect(await age()).toBe('2');
  now = 4_000;
  expect(await age()).toBe('0');
  await telemetry.stop();
});

describe('how far counting has come', () => {
  /** Of each topic: what is published and what is counted, in each of two partitions. */
  let published: Record<string, bigint[]>;
  let counted: Record<string, bigint[]>;
  let noted: number[];
  let now: number;
  let answers: boolean;
  /** Time that passes until the bus has answered. */
  let takesMs: number;
  let watch: ProgressWatch;

  beforeEach(() => {
    published = { 'usage.recorded': [0n, 0n], 'orders.received': [0n, 0n] };
    counted = { 'usage.recorded': [0n, 0n], 'orders.received': [0n, 0n] };
    noted = [];
    now = 0;
    answers = true;
    takesMs = 0;
    watch = new ProgressWatch({
      clock: { now: () => now },
      progress: { note: async (to) => void noted.push(to) },
      bus: {
        async progress(_group, topic) {
          if (!answers) throw new StoreUnavailable('test', 'no broker answers');
          now += takesMs;
          return published[topic]!.map((_, partition) => {
            const [next, end] = [counted[topic]![partition]!, published[topic]![partition]!];
            return { partition, next, end, waiting: Number(end - next) };
          });
        },
      },
    });
  });

  const lookAt = async (at: number): Promise<number | undefined> => {
    now = at;
    await watch.look();
    return noted.at(-1);
  };

  it('is now, while nothing waits', async () => {
    expect(await lookAt(1_000)).toBe(1_000);
    expect(await lookAt(2_000)).toBe(2_000);
  });

  it('is the moment before the bus was asked', async () => {
    takesMs = 500;
    expect(await lookAt(1_000)).toBe(1_000);
  });

  it('is not held up by a partition that is new: its events came later', async () => {
    published['usage.recorded'] = [1n, 0n];
    await lookAt(1_000);
    published['usage.recorded'] = [1n, 0n, 5n];
    counted['usage.recorded'] = [1n, 0n, 0n];
    expect(await lookAt(2_000)).toBe(1_000);
  });

  it('goes on with a topic that was made again while as much waited as is remembered', async () => {
    published['usage.recorded'] = [1_000n, 0n];
    for (let second = 1; second <= 100; second++) await lookAt(second * 1_000);
    expect(noted).toEqual([]);
    published['usage.recorded'] = [5n, 0n];
    await lookAt(101_000);
    counted['usage.recorded'] = [5n, 0n];
    expect(await lookAt(102_000)).toBe(102_000);
  });

  it('is noted once it is known', async () => {
    published['usage.recorded'] = [1n, 0n];
    await lookAt(1_000);
    expect(noted).toHaveLength(0);
  });

  it('stays where one partition of one topic stands still, although all others go on', async () => {
    await lookAt(1_000);
    for (const topic of Object.keys(published)) {
      published[topic] = [5n, 5n];
      counted[topic] = [5n, 5n];
    }
    counted['orders.received'] = [5n, 4n];
    expect(await lookAt(2_000)).toBe(1_000);
    published['usage.recorded'] = [9n, 9n];
    counted['usage.recorded'] = [9n, 9n];
    expect(await lookAt(3_000)).toBe(1_000);
    counted['orders.received'] = [5n, 5n];
    expect(await lookAt(4_000)).toBe(4_000);
  });

  it('is the last moment whose events are all counted, under load', async () => {
    for (let second = 1; second <= 5; second++) {
      published['usage.recorded'] = [BigInt(second * 10), BigInt(second * 10)];
      await lookAt(second * 1_000);
    }
    expect(noted.at(-1)).toBeUndefined();
    counted['usage.recorded'] = [35n, 30n];
    expect(await lookAt(6_000)).toBe(3_000);
    counted['usage.recorded'] = [50n, 39n];
    expect(await lookAt(7_000)).toBe(3_000);
    counted['usage.recorded'] = [50n, 40n];
    expect(await lookAt(8_000)).toBe(4_000);
  });

  it('does not go on while the bus does not answer', async () => {
    await lookAt(1_000);
    answers = false;
    await expect(lookAt(2_000)).rejects.toThrow(StoreUnavailable);
    expect(watch.countedTo).toBe(1_000);
    answers = true;
    expect(await lookAt(3_000)).toBe(3_000);
  });

  it('goes on after hours of standing still, with little remembered', async () => {
    published['usage.recorded'] = [1n, 0n];
    for (let second = 1; second <= 10_000; second++) await lookAt(second * 1_000);
    expect(noted).toEqual([]);
    counted['usage.recorded'] = [1n, 0n];
    expect(await lookAt(10_001_000)).toBe(60_000);
    expect(await lookAt(10_002_000)).toBe(10_002_000);
  });
});
