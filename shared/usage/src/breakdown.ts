/** A month's usage as rows: by day, and by endpoint, status or key. */
import { shownEndpoint } from '@hindsight/api/operations.ts';
import { DEFAULT_KEY_ID } from '@hindsight/projects/project-key.ts';
import { dayOf, monthOf, periodOf } from './calendar.ts';
import type { DailyCounts, MonthUsage } from './ports.ts';

export const BREAKDOWNS = ['day', 'endpoint', 'status', 'key'] as const;

type BreakdownName = (typeof BREAKDOWNS)[number];

export interface UsageRow {
  /** UTC. */
  readonly date: string;
  /**
   * The endpoint's name, the status, or the id of the key; null if it was not recorded, and for whole days.
   */
  readonly name: string | null;
  /** In units. */
  readonly requests: number;
}

const MONTHS_SHOWN = 3;

/** The month of a moment and those before it, the latest first. */
export function monthsShown(now: number): string[] {
  const months = [monthOf(dayOf(now))];
  while (months.length < MONTHS_SHOWN)
    months.push(monthOf(dayOf(periodOf(Date.parse(months.at(-1) ?? '')).start - 1)));
  return months;
}

/** The rows of a month: days in order, the most used first within each. Days without requests have none. */
export function rowsOf(usage: Pick<MonthUsage, 'days' | 'statuses' | 'keys'>, by: BreakdownName): UsageRow[] {
  const named: DailyCounts = {
    day: {},
    endpoint: shownDays(usage.days),
    status: usage.statuses ?? {},
    key: usage.keys ?? {},
  }[by];
  return Object.entries(usage.days)
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([date, endpoints]) => rowsOfDay(date, sumOf(endpoints), named[date] ?? {}, by));
}

/** Counts by day and endpoint, what was counted under an alias with its operation. */
export function shownDays(days: DailyCounts): DailyCounts {
  return Object.fromEntries(
    Object.entries(days).map(([day, counts]) => {
      const shown: Record<string, number> = {};
      for (const [counted, requests] of Object.entries(counts)) {
        const name = shownEndpoint(counted);
        shown[name] = (shown[name] ?? 0) + requests;
      }
      return [day, shown];
    }),
  );
}

function rowsOfDay(
  date: string,
  total: number,
  counts: Readonly<Record<string, number>>,
  by: BreakdownName,
): UsageRow[] {
  const names = new Map<string | null, number>(Object.entries(counts));
  const rest = total - sumOf(counts);
  // Before keys had ids, a project had one key; the key of this id stands for it.
  const other = by === 'key' ? DEFAULT_KEY_ID : null;
  if (rest > 0) names.set(other, (names.get(other) ?? 0) + rest);
  return [...names]
    .map(([name, requests]) => ({ date, name, requests }))
    .sort((a, b) => b.requests - a.requests || String(a.name).localeCompare(String(b.name)));
}

/** The sums of rows over all days, the most used first. */
export function totalsOf(rows: readonly UsageRow[]): Omit<UsageRow, 'date'>[] {
  const sums = new Map<string | null, number>();
  for (const { name, requests } of rows) sums.set(name, (sums.get(name) ?? 0) + requests);
  return [...sums].map(([name, requests]) => ({ name, requests })).sort((a, b) => b.requests - a.requests);
}

/** RFC 4180, with a header; an unrecorded name is empty. */
export function csvOf(rows: readonly UsageRow[], by: BreakdownName): string {
  const lines = rows.map(({ date, name, requests }) =>
    by === 'day' ? [date, requests] : [date, name ?? '', requests],
  );
  const head = by === 'day' ? ['date', 'requests'] : ['date', by, 'requests'];
  return [head, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
