import { expect, it } from '@jest/globals';
import type { Project } from '@hindsight/projects/project.ts';
import { describeUsage } from './describe.ts';

const NOW = Date.UTC(2026, 10, 3, 12);
const project = { id: 'p', plan: 'enterprise', monthlyLimit: 100, rate: 1 } as Project;

it('has each day of the month until now, and no less than nothing left', () => {
  const days = { '2026-11-01': { token: 60 }, '2026-11-03': { token: 50 } };
  expect(describeUsage(project, { requests: 110, orders: 2, days, asOf: NOW }, NOW)).toMatchObject({
    period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
    requests: { used: 110, limit: 100, remaining: 0 },
    daily: [60, 0, 50].map((requests, at) => ({ date: `2026-11-0${at + 1}`, requests })),
  });
  const earlier = describeUsage(project, { requests: 0, orders: 0, days: {}, asOf: NOW }, NOW, '2026-09');
  expect([earlier.daily.length, earlier.daily.at(-1)?.date]).toEqual([30, '2026-09-30']);
  expect(earlier.requests.remaining).toBe(100);
});

it('has the day that a gateway’s clock has begun before this one: the days add up to the month', () => {
  const now = Date.UTC(2026, 10, 2) - 1_000;
  const days = { '2026-11-01': { token: 60 }, '2026-11-02': { token: 5 } };
  const { requests, daily } = describeUsage(project, { requests: 65, orders: 0, days, asOf: now }, now);
  expect(daily.reduce((sum, day) => sum + day.requests, 0)).toBe(requests.used);
});
