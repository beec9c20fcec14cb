import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { limitsOf, type Project } from '@hindsight/projects/project.ts';
import { rowsOf } from './breakdown.ts';
import { dayOf, monthOf, periodOf } from './calendar.ts';
import type { CountedMonth } from './counters/ports.ts';

/** A month's usage as its owner sees it, in the API, whose schema says what it is, and on the dashboard. */
export type UsageReport = ReturnType<typeof describeUsage>;

/** Reports what a project has used of a month, by default the one that `now` is in; limits are those of today. */
export function describeUsage(
  project: Project,
  { requests, orders, days, asOf }: Pick<CountedMonth, 'requests' | 'orders' | 'days' | 'asOf'>,
  now: number,
  month: string = monthOf(dayOf(now)),
) {
  const { start, end } = periodOf(Date.parse(month));
  const { monthlyLimit: limit } = limitsOf(project);
  const used = new Map(rowsOf({ days }, 'day').map((row) => [row.date, row.requests]));
  // By the clock of a gateway that is ahead, the next day has begun.
  const last = Math.max(now, ...[...used.keys()].map(Date.parse));
  const daily = [];
  for (let day = start; day <= last && day < end; day += DAY_MS) {
    const date = dayOf(day);
    daily.push({ date, requests: used.get(date) ?? 0 });
  }
  return {
    project: project.id,
    plan: project.plan as string,
    period: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
    requests: { used: requests, limit, remaining: Math.max(limit - requests, 0) },
    orders: { received: orders },
    daily,
    as_of: new Date(asOf).toISOString(),
  };
}
