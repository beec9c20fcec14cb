import { expect, it } from '@jest/globals';
import { compareCounters, type CompareDeps } from './compare.ts';
import type { RecordName } from '../calendar.ts';
import type { RevisedMonth } from './ports.ts';

const MONTH = '2026-11';

function revised({ project, month }: RecordName, revision: number, requests = revision): RevisedMonth {
  return { project, month, revision, requests, orders: 0, taken: 0, days: {}, asOf: 1 };
}

/** A ledger of these projects, each at revision 2, and a copy that has what `copied` says at each look. */
function placesOf(
  projects: readonly string[],
  copied: (record: RecordName, look: number) => RevisedMonth | undefined,
): CompareDeps & { readonly pages: string[]; readonly reads: string[]; readonly removed: unknown[] } {
  let looks = 0;
  const [pages, reads, removed]: [string[], string[], unknown[]] = [[], [], []];
  return {
    pages,
    reads,
    removed,
    ledger: {
      async audit(_month, after, limit) {
        pages.push(after);
        const some = projects.filter((project) => project > after).slice(0, limit);
        return some.map((project) => {
          return { project, requests: 2, orders: 0, taken: 2, daily: 2, producers: undefined };
        });
      },
    },
    records: {
      async readMany(records) {
        reads.push('ledger');
        return records.map((record) => revised(record, 2));
      },
    },
    copy: {
      async findMany(records) {
        looks += 1;
        reads.push('copy');
        return records.map((record) => copied(record, looks));
      },
      remove: async ({ project }, revision) => void removed.push([project, revision]),
    },
  };
}

it('reports no record that was being copied, or removed, when it was looked at', async () => {
  const changes = placesOf(['p', 'q'], (record, look) => {
    if (look < 2) return revised(record, 1);
    return record.project === 'p' ? revised(record, 2) : undefined;
  });
  expect(await compareCounters(changes, { month: MONTH })).toMatchObject({ compared: 2, disagreeing: 0 });
});

it('tells copies that are ahead or different from absent ones, and removes them where it is to repair', async () => {
  const copies: Record<string, Partial<RevisedMonth> | undefined> = {
    ahead: { revision: 3 },
    days: { days: { '2026-11-01': { token: 2 } } },
    keys: { keys: { '2026-11-01': { k: 2 } } },
    orders: { orders: 1 },
    same: { statuses: {}, keys: {} },
    statuses: { statuses: { '2026-11-01': { 200: 2 } } },
    // Leases change units without a revision.
    units: { taken: 9 },
  };
  const places = placesOf(['absent', ...Object.keys(copies)], (record) => {
    const copied = copies[record.project];
    return copied && { ...revised(record, 2), ...copied };
  });
  const found = await compareCounters(places, { month: MONTH });
  expect(found).toMatchObject({ compared: 8, absent: 1, disagreeing: 5 });
  expect(found.disagreements.map(({ project, kind }) => [project, kind])).toEqual([
    ['ahead', 'ahead'],
    ...['days', 'keys', 'orders', 'statuses'].map((project) => [project, 'different']),
  ]);
  // The other way round, a copy of what was counted in between would seem to be ahead.
  expect(places.reads).toEqual(['copy', 'ledger']);
  expect(places.removed).toEqual([]);
  await compareCounters(places, { month: MONTH, repair: true });
  // Each unless it has changed since.
  expect(places.removed).toEqual([
    ['ahead', 3],
    ...['days', 'keys', 'orders', 'statuses'].map((project) => [project, 2]),
  ]);
});

it('compares as many as the sample has, where there are more', async () => {
  const places = placesOf(['p', 'q', 'r'], (record) => revised(record, 2));
  expect(await compareCounters(places, { month: MONTH, sample: 2 })).toMatchObject({ compared: 2 });
});

it('counts all disagreements, and lists a hundred of them', async () => {
  const projects = Array.from({ length: 1_100 }, (_, i) => `p${String(i).padStart(4, '0')}`);
  const found = await compareCounters(
    placesOf(projects, (record) => revised(record, 2, 9)),
    { month: MONTH },
  );
  expect([found.compared, found.disagreeing, found.disagreements.length]).toEqual([1_100, 1_100, 100]);
  expect(found.disagreements.at(-1)).toMatchObject({ project: 'p0099', kind: 'different' });
});

it('ends between two pages when it is stopped', async () => {
  const projects = Array.from({ length: 1_100 }, (_, i) => `p${String(i).padStart(4, '0')}`);
  const stop = new AbortController();
  const places = placesOf(projects, (record) => {
    stop.abort(new Error('stopped'));
    return revised(record, 2);
  });
  const comparing = compareCounters(places, { month: MONTH, signal: stop.signal });
  await expect(comparing).rejects.toThrow('stopped');
  expect(places.pages).toEqual(['', 'p0499']);
});
