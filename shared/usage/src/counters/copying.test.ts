import { until } from '@hindsight/kernel/test/support/until.ts';
import { expect, it } from '@jest/globals';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { CounterCopying } from './copying.ts';
import type { NotedRecord } from './ports.ts';

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
