import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { BusClosed, PublishFailed } from './errors.ts';
import type { OutgoingRecord } from './log.ts';
import { PublishQueue } from './publish-queue.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';

const record = (key: string, bytes = 10): OutgoingRecord => ({
  topic: 't',
  key,
  headers: {},
  value: Buffer.alloc(bytes),
});

const KIB = 1024;
/** Longer than a busy machine takes for a case. */
const PATIENCE_MS = 120_000;

afterEach(() => void jest.restoreAllMocks());

describe('the queue of publishes', () => {
  it('writes one batch at a time, in order, and gathers what comes meanwhile', async () => {
    const written: (string | null)[][] = [];
    let atOnce = 0;
    const opened = Promise.withResolvers<void>();
    const queue = new PublishQueue(async (records) => {
      expect(++atOnce).toBe(1);
      written.push(records.map(({ key }) => key));
      await opened.promise;
      atOnce--;
    }, PATIENCE_MS);
    const first = queue.add([record('a')]);
    await until('the first is under way', () => atOnce === 1);
    const others = [queue.add([record('b'), record('c')]), queue.add([record('d')])];
    opened.resolve();
    await Promise.all([first, ...others]);
    expect(written).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('keeps a batch below the limit of a broker', async () => {
    const sizes: number[] = [];
    const queue = new PublishQueue(async (records) => {
      sizes.push(records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
    }, PATIENCE_MS);
    await queue.add(Array.from({ length: 20 }, () => record('a', 200 * KIB)));
    await queue.add([record('longer than a batch', 1_000 * KIB)]);
    expect(sizes.at(-1)).toBe(1_000 * KIB);
    expect(Math.max(...sizes.slice(0, -1))).toBe(600 * KIB);
  });

  it('rejects only the publish that the log refuses', async () => {
    const written: (string | null)[] = [];
    const queue = new PublishQueue(async (records) => {
      if (records.some(({ key }) => key === 'bad')) throw new PublishFailed('no', { refused: true });
      written.push(...records.map(({ key }) => key));
    }, PATIENCE_MS);
    const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map((key) => queue.add([record(key)])));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(written).toEqual(['a', 'b']);
  });

  it('drops the rest of a publish after a failed portion: a retry would be appended after its own tail', async () => {
    const written: (string | null)[] = [];
    let fails = true;
    const queue = new PublishQueue(async (records) => {
      if (fails) {
        fails = false;
        throw new PublishFailed('unavailable', { refused: false });
      }
      written.push(...records.map(({ key }) => key));
    }, PATIENCE_MS);
    const long = ['1', '2', '3'].map((key) => record(key, 500 * KIB));
    const outcomes = await Promise.allSettled([queue.add(long), queue.add([record('other')])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(written).toEqual(['other']);
    await queue.add(long);
    expect(written).toEqual(['other', '1', '2', '3']);
  });

  it('drops the rest of a publish that took too long', async () => {
    const written: (string | null)[] = [];
    const opened = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    // Its time runs out only after its first portion was begun, however slow the machine is.
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const queue = new PublishQueue(async (records) => {
      begun.resolve();
      await opened.promise;
      written.push(...records.map(({ key }) => key));
    }, PATIENCE_MS);
    const late = queue.add(['1', '2'].map((key) => record(key, 500 * KIB)));
    await begun.promise;
    now += PATIENCE_MS;
    await expect(late).rejects.toThrow(PublishFailed);
    const next = queue.add([record('next')]);
    opened.resolve();
    await next;
    expect(written).toEqual(['1', 'next']);
  });

  it('rejects in time when the log does not answer, including what is queued', async () => {
    let answer = (): void => undefined;
    const queue = new PublishQueue(() => new Promise((resolve) => (answer = resolve)), 300);
    const asked = performance.now();
    const first = queue.add([record('a')]);
    await sleep(20);
    const outcomes = await Promise.allSettled([first, queue.add([record('b')])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(performance.now() - asked).toBeLessThan(60_000);
    answer();
  });

  it('has room again for what it dropped', async () => {
    const queue = new PublishQueue(async () => {
      throw new PublishFailed('unavailable', { refused: false });
    }, PATIENCE_MS);
    // Alone, a publish may be longer than the limit.
    const long = Array<OutgoingRecord>(70).fill(record('a', 1_000 * KIB));
    for (let tries = 0; tries < 3; tries++) await expect(queue.add(long)).rejects.toThrow('unavailable');
  });

  it('rejects what is not written 5 seconds after its end', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] });
    try {
      const begun = Promise.withResolvers<void>();
      const queue = new PublishQueue(() => {
        begun.resolve();
        return new Promise(() => undefined);
      }, PATIENCE_MS);
      const first = expect(queue.add([record('a')])).rejects.toThrow(BusClosed);
      await begun.promise;
      const second = expect(queue.add([record('b')])).rejects.toThrow(BusClosed);
      const closed = queue.close();
      await jest.advanceTimersByTimeAsync(5_000);
      await Promise.all([closed, first, second]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('leaves no timer behind', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const queue = new PublishQueue(async () => undefined, PATIENCE_MS);
    await queue.add([record('a')]);
    await queue.close();
    expect(timers()).toBe(before);
  });

  it('accepts no more than its limit', async () => {
    let answer = (): void => undefined;
    const queue = new PublishQueue(() => new Promise((resolve) => (answer = resolve)), PATIENCE_MS);
    const first = queue.add([record('a')]);
    await sleep(20);
    const waiting = queue.add(Array.from({ length: 60 }, () => record('b', 1_000 * KIB)));
    await expect(queue.add(Array.from({ length: 10 }, () => record('c', 1_000 * KIB)))).rejects.toThrow(
      PublishFailed,
    );
    let done = false;
    const written = Promise.all([first, waiting]).finally(() => (done = true));
    await until('all is written', () => {
      answer();
      return done;
    });
    await written;
    await queue.close();
    await expect(queue.add([record('d')])).rejects.toThrow(BusClosed);
  });
});
