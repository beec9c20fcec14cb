import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { limitsOf, type Project } from '@hindsight/projects/project.ts';
import { dayOf, periodOf } from './calendar.ts';
import type { CountedMonth } from './counters/ports.ts';

/** A month's usage as its owner sees it, in the API and on the dashboard. */
export interface UsageReport {
  /** The project's internal id. */
  readonly project: string;
  readonly plan: string;
  /** The UTC calendar month: its first moment, and the first one after it. ISO 8601. */
  readonly period: { readonly start: string; readonly end: string };
  readonly requests: { readonly used: number; readonly limit: number; readonly remaining: number };
  readonly orders: { readonly received: number };
  /** Requests of each day of the month up to today, UTC. */
  readonly daily: { readonly date: string; readonly requests: number }[];
  /** The moment of these numbers, ISO 8601: what was counted later is missing. */
  readonly as_of: string;
}

/** Reports what a project has used of the month that `now` is in. */
export function describeUsage(
  project: Project,
  { requests, orders, days, asOf }: Pick<CountedMonth, 'requests' | 'orders' | 'days' | 'asOf'>,
  now: number,
): UsageReport {
  const { start, end } = periodOf(now);
  const { monthlyLimit: limit } = limitsOf(project);
  const daily = [];
  for (let day = start; day <= now; day += DAY_MS) {
    const date = dayOf(day);
    const byEndpoint = days[date] ?? {};
    daily.push({ date, requests: Object.values(byEndpoint).reduce((sum, count) => sum + count, 0) });
  }
  return {
    project: project.id,
    plan: project.plan,
    period: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
    requests: { used: requests, limit, remaining: Math.max(limit - requests, 0) },
    orders: { received: orders },
    daily,
    as_of: new Date(asOf).toISOString(),
  };
}
