import { until } from '@hindsight/kernel/test/support/until.ts';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { CounterCopying } from './copying.ts';
import type { Epoch, NotedRecord, RevisedMonth } from './ports.ts';

it('says as of when all is counted the first time that it vouches', async () => {
  const vouched: unknown[] = [];
  const copying = new CounterCopying({
    copy: {
      put: async () => undefined,
      vouch: async (_epoch, countedTo) => {
        vouched.push(countedTo);
        return { number: 1, server: 's' };
      },
    },
    records: {
      readMany: async () => [],
      note: async () => undefined,
      noted: async () => [],
      forget: async () => undefined,
    },
    progress: { countedTo: async () => 5_000 },
    clock: { now: () => 0 },
    onFailure: () => undefined,
    onSuccess: () => undefined,
  });
  copying.start();
  await until('it has vouched', () => vouched.length > 0);
  await copying.stop();
  expect(vouched[0]).toBe(5_000);
});

/** Copying beside a ledger whose noted records are what `noted` says, in turn. */
function copyingOf(noted: readonly (() => Promise<NotedRecord[]>)[], put: () => Promise<void>) {
  const seen = { now: 0, looks: 0, vouched: 0, forgotten: 0, failures: 0, noted: 0 };
  const copying = new CounterCopying({
    copy: {
      put,
      async vouch() {
        seen.vouched += 1;
        return { number: 1, server: 's' };
      },
    },
    records: {
      readMany: async () => [],
      note: async () => void (seen.noted += 1),
      noted: () => noted[Math.min(seen.looks++, noted.length - 1)]!(),
      forget: async () => void (seen.forgotten += 1),
    },
    progress: { countedTo: async () => 5_000 },
    clock: { now: () => seen.now },
    onFailure: () => void (seen.failures += 1),
    onSuccess: () => undefined,
  });
  return { copying, seen };
}
const unavailable = async (): Promise<never> => {
  throw new StoreUnavailable('MongoDB', 'it is late');
};
const record = { project: 'p', month: '2026-11' };

it('forgets no record that the copy has not taken, and does not vouch for it', async () => {
  const { copying, seen } = copyingOf([async () => [{ ...record, times: 1 }]], unavailable);
  copying.start();
  await until('the copy has taken nothing', () => seen.failures > 0);
  await copying.stop();
  expect(seen).toMatchObject({ vouched: 1, forgotten: 0 });
});

it('trusts no copy of which it does not know what it lacks', async () => {
  const { copying, seen } = copyingOf([unavailable], async () => undefined);
  copying.start();
  await until('it has looked', () => seen.looks > 0);
  await copying.stop();
  await copying.publish([record]);
  expect(seen).toMatchObject({ vouched: 1, noted: 1 });
});

it('keeps a complete copy while the ledger does not answer, and says since when', async () => {
  const { copying, seen } = copyingOf([async () => [], unavailable], async () => undefined);
  copying.start();
  await until('it is complete', () => seen.vouched === 2);
  seen.now = 7_000;
  await until('it has looked again', () => seen.vouched > 2);
  await copying.stop();
  expect(copying.age).toBe(7);
  await copying.publish([record]);
  expect(seen.noted).toBe(0);
});

describe('each pass', () => {
  afterEach(() => void jest.useRealTimers());

  /** A copy and a ledger whose calls are recorded; what is set in `failing` fails. */
  function traced(noted: readonly number[] = []) {
    const calls: string[] = [];
    const failing: Partial<Record<'put' | 'vouch' | 'progress' | 'look', Error | undefined>> = {};
    const told: string[] = [];
    const ledger = { now: 0, countedTo: 1_000 };
    const call = (name: keyof typeof failing, words: string): void => {
      calls.push(words);
      if (failing[name] !== undefined) throw failing[name];
    };
    let looks = 0;
    const copying = new CounterCopying({
      copy: {
        put: async (months, epoch) => call('put', `put ${months.length} in ${epoch}`),
        async vouch(known: Epoch | undefined, countedTo) {
          call('vouch', `vouch ${known?.number ?? 'first'} to ${countedTo}`);
          return { number: 7, server: 's' };
        },
      },
      records: {
        readMany: async (records) =>
          records.map((one): RevisedMonth => {
            return { ...one, revision: 1, requests: 1, orders: 0, taken: 1, days: {}, asOf: 1 };
          }),
        note: async (records) => void calls.push(`note ${records.length}`),
        async noted() {
          call('look', 'look');
          ledger.now += 3_000;
          return Array<NotedRecord>(noted[looks++] ?? 0).fill({ ...record, times: 1 });
        },
        forget: async (records) => void calls.push(`forget ${records.length}`),
      },
      progress: {
        async countedTo() {
          call('progress', 'progress');
          return ledger.countedTo;
        },
      },
      clock: { now: () => ledger.now },
      onFailure: () => void told.push('failure'),
      onSuccess: () => void told.push('success'),
    });
    /** The calls of the passes until the next pause. */
    const pass = async (afterMs = 1_000): Promise<string[]> => {
      await jest.advanceTimersByTimeAsync(afterMs);
      return calls.splice(0);
    };
    return { copying, failing, told, ledger, pass, calls };
  }

  function started(noted?: readonly number[]) {
    jest.useFakeTimers();
    const all = traced(noted);
    all.copying.start();
    return all;
  }

  it('copies what was noted, then forgets it, and vouches once nothing is left', async () => {
    const { copying, pass, ledger, calls } = started([500, 2]);
    expect(await pass(0)).toEqual([
      ...['progress', 'vouch first to 1000', 'look', 'put 500 in 7', 'forget 500'],
      ...['progress', 'look', 'put 2 in 7', 'forget 2', 'vouch 7 to 1000'],
    ]);
    ledger.countedTo = 2_000;
    expect(await pass()).toEqual(['progress', 'look', 'vouch 7 to 2000']);
    // Since the last pass began, of which the look takes three seconds here.
    expect(copying.age).toBe(3);
    ledger.now = 0;
    expect(copying.age).toBe(0);
    await copying.publish([record]);
    expect(calls).toEqual(['put 1 in 7']);
    await copying.stop();
  });

  it('notes what the copy does not take, and trusts it again once that was copied', async () => {
    const { copying, failing, pass, told, calls } = started([0, 0, 1]);
    await pass(0);
    failing.put = new Error('it takes nothing');
    await copying.publish([record]);
    // The copy is left alone while it fails.
    await copying.publish([record, record]);
    expect(calls.splice(0)).toEqual(['put 1 in 7', 'note 1', 'note 2']);
    failing.look = new StoreUnavailable('MongoDB', 'it is late');
    expect(await pass()).toEqual(['progress', 'look']);
    failing.look = failing.put = undefined;
    expect(await pass()).toEqual(['progress', 'look', 'vouch 7 to 1000']);
    await copying.publish([record]);
    expect(calls.splice(0)).toEqual(['put 1 in 7']);
    expect(told).toEqual(['success', 'success', 'failure', 'success']);
    await copying.stop();
  });

  it('trusts no copy for which it could not vouch', async () => {
    const { copying, failing, pass, told, calls } = started();
    await pass(0);
    failing.vouch = new Error('it came too late');
    expect(await pass()).toEqual(['progress', 'look', 'vouch 7 to 1000']);
    await copying.publish([record]);
    expect(calls).toEqual(['note 1']);
    expect(told).toEqual(['success', 'success', 'failure']);
    await copying.stop();
  });

  it('vouches with an earlier moment while the ledger does not say it, and not after a fault of ours', async () => {
    const { copying, failing, pass, ledger } = started();
    await pass(0);
    ledger.countedTo = 2_000;
    failing.progress = new StoreUnavailable('MongoDB', 'it is late');
    expect(await pass()).toEqual(['progress', 'look', 'vouch 7 to 1000']);
    failing.progress = new TypeError('a fault of ours');
    expect(await pass()).toEqual(['progress']);
    failing.progress = undefined;
    failing.look = new TypeError('a fault of ours');
    expect(await pass()).toEqual(['progress', 'look']);
    await copying.stop();
  });
});
