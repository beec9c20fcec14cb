import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { RevisedMonth } from './ports.ts';
import type { RecordName } from '../calendar.ts';
import { Refills, type Refilled } from './refills.ts';

const MONTH = '2026-11';

/** The clock as it was read last: a busy machine may pause between that and the query that follows. */
let looked = 0;
beforeEach(() => {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => (looked = now()));
});
afterEach(() => void jest.restoreAllMocks());

/** A ledger that records its queries. */
function recordingLedger() {
  const queries: { readonly at: number; readonly projects: readonly string[] }[] = [];
  const read: Refilled[] = [];
  const ledger = {
    queries,
    read,
    countedTo: 5,
    underWay: 0,
    most: 0,
    failing: false,
    async readMany(records: readonly RecordName[]): Promise<RevisedMonth[]> {
      queries.push({ at: looked, projects: records.map(({ project }) => project) });
      ledger.most = Math.max(ledger.most, ++ledger.underWay);
      await new Promise(setImmediate);
      ledger.underWay--;
      if (ledger.failing) throw new Error('unavailable');
      return records.map((record) => {
        return { ...record, revision: 1, requests: 1, orders: 0, taken: 0, days: {}, asOf: 1 };
      });
    },
  };
  const progress = { countedTo: async () => ledger.countedTo };
  const refills = new Refills({ records: ledger, progress, onRead: (some) => void read.push(...some) });
  return { ledger, refills };
}

it('reads each record once for all who want it, many by one query, one query at a time and 20 a second', async () => {
  const { ledger, refills } = recordingLedger();
  const wanted = Array.from({ length: 3_000 }, (_, i) => `p${i % 700}`);
  const months = await Promise.all(wanted.map((project) => refills.read({ project, month: MONTH }, 7)));
  expect(months.map(({ month }) => month.project)).toEqual(wanted);
  expect(new Set(months.map(({ countedTo }) => countedTo))).toEqual(new Set([5]));
  // The first left alone.
  expect(ledger.queries.map(({ projects }) => projects.length)).toEqual([1, 200, 200, 200, 99]);
  expect(new Set(ledger.queries.flatMap(({ projects }) => projects)).size).toBe(700);
  expect(ledger.most).toBe(1);
  const pauses = ledger.queries.slice(1).map(({ at }, i) => at - ledger.queries[i]!.at);
  expect(Math.min(...pauses)).toBeGreaterThan(45);
  expect(ledger.read).toHaveLength(700);
  expect(new Set(ledger.read.map(({ epoch }) => epoch))).toEqual(new Set([7]));
});

it('refuses more than 20,000 that wait', async () => {
  // Its pauses are over at once.
  jest.spyOn(performance, 'now').mockImplementation(() => (looked += 100));
  const { refills } = recordingLedger();
  // The first is read alone; the others wait for it.
  const wanted = Array.from({ length: 20_001 }, (_, i) =>
    refills.read({ project: `p${i}`, month: MONTH }, 7),
  );
  await expect(refills.read({ project: 'more', month: MONTH }, 7)).rejects.toThrow('too many counters');
  const again = refills.read({ project: 'p20000', month: MONTH }, 7);
  expect((await Promise.all([...wanted, again])).at(-1)?.month.project).toBe('p20000');
});

it('answers within 5 seconds, though the ledger does not', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] });
  try {
    const { ledger, refills } = recordingLedger();
    const answer = Promise.withResolvers<RevisedMonth[]>();
    ledger.readMany = () => answer.promise;
    const read = refills.read({ project: 'p', month: MONTH }, 7);
    const late = expect(read).rejects.toThrow('too many counters');
    await jest.advanceTimersByTimeAsync(5_000);
    await late;
    // Nothing waits for it any more, and its failure ends nothing.
    answer.reject(new Error('unavailable'));
    await answer.promise.catch(() => undefined);
  } finally {
    jest.useRealTimers();
  }
});

it('says up to when all was counted before the ledger was read', async () => {
  const { ledger, refills } = recordingLedger();
  const readMany = ledger.readMany.bind(ledger);
  ledger.readMany = (records) => {
    ledger.countedTo = 9;
    return readMany(records);
  };
  expect((await refills.read({ project: 'p', month: MONTH }, 7)).countedTo).toBe(5);
  expect((await refills.read({ project: 'p', month: MONTH }, 7)).countedTo).toBe(9);
});

it('keeps months apart', async () => {
  const { ledger, refills } = recordingLedger();
  await Promise.all(['2026-10', MONTH].map((month) => refills.read({ project: 'p', month }, 7)));
  expect(ledger.read.map(({ month }) => month.month)).toEqual(['2026-10', MONTH]);
});

it('fails with the ledger, and goes on when that is back', async () => {
  const { ledger, refills } = recordingLedger();
  ledger.failing = true;
  const failing = ['p', 'q'].map((project) => refills.read({ project, month: MONTH }, 7));
  const outcomes = await Promise.allSettled(failing);
  const reason = expect.objectContaining({ message: 'unavailable' });
  expect(outcomes).toEqual([1, 2].map(() => ({ status: 'rejected', reason })));
  ledger.failing = false;
  expect(await refills.read({ project: 'p', month: MONTH }, undefined)).toMatchObject({
    month: { project: 'p' },
  });
  expect(ledger.read).toMatchObject([{ epoch: undefined }]);
});
