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
): CompareDeps & { readonly pages: string[] } {
  let looks = 0;
  const pages: string[] = [];
  return {
    pages,
    ledger: {
      async audit(_month, after, limit) {
        pages.push(after);
        const some = projects.filter((project) => project > after).slice(0, limit);
        return some.map((project) => {
          return { project, requests: 2, orders: 0, taken: 2, daily: 2, producers: undefined };
        });
      },
    },
    records: { readMany: async (records) => records.map((record) => revised(record, 2)) },
    copy: {
      async findMany(records) {
        looks += 1;
        return records.map((record) => copied(record, looks));
      },
      remove: async () => undefined,
    },
  };
}

it('reports no record that was being copied when it was looked at', async () => {
  const catchesUp = placesOf(['p'], (record, look) => revised(record, look < 2 ? 1 : 2));
  expect(await compareCounters(catchesUp, { month: MONTH })).toMatchObject({ compared: 1, disagreeing: 0 });
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
