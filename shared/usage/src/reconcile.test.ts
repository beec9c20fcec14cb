import { expect, it } from '@jest/globals';
import type { RecordAudit } from './ports.ts';
import { auditMonth, COMPARISONS, differencesOf } from './reconcile.ts';

const MONTH = '2026-11';
const RIGHT = { project: 'p', requests: 7, orders: 2, taken: 9, daily: 7 };
const PRODUCERS = { outstanding: 9, counted: 7, orders: 2, overdrawn: 0 };

it.each<[name: string, part: Partial<RecordAudit>, producers: Partial<typeof PRODUCERS>]>([
  ['requests and days', { daily: 8 }, {}],
  ['requests and lanes', {}, { counted: 8 }],
  ['orders and lanes', {}, { orders: 3 }],
  ['taken and held', {}, { outstanding: 8 }],
  ['counted and held', {}, { overdrawn: 1 }],
])('a record contradicts itself in %s', (name, part, producers) => {
  const record = { ...RIGHT, ...part, producers: { ...PRODUCERS, ...producers } };
  expect(differencesOf(MONTH, record).map(({ comparison }) => comparison)).toEqual([name]);
});

it('a settled record has no producers to contradict', () => {
  expect(differencesOf(MONTH, { ...RIGHT, producers: undefined })).toEqual([]);
});

it('all differences are counted, and a hundred listed', async () => {
  const wrong = { ...RIGHT, daily: 0, producers: { ...PRODUCERS, counted: 0 } };
  const records = Array.from({ length: 250 }, (_, at) => ({
    ...wrong,
    project: `p${String(at).padStart(3, '0')}`,
  }));
  const audit = async (_month: string, after: string, limit: number) =>
    records.filter(({ project }) => project > after).slice(0, limit);
  const { differing, differences, records: found } = await auditMonth({ audit }, MONTH);
  expect([differing, differences.length, found]).toEqual([500, 100, 250]);
  expect(Object.keys(COMPARISONS)).toEqual(expect.arrayContaining(differences.map((one) => one.comparison)));
});
