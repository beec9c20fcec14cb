/** Compares each record with the sums of its parts. */
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { readPages } from '@hindsight/kernel/pages.ts';
import { dayOf, monthOf } from './calendar.ts';
import { isKeyAccount } from './key-account.ts';
import { LATEST_DAYS } from './lateness.ts';
import type { RecordAudit, UsageUpkeep } from './ports.ts';

/**
 * Compared values, by their names in the released metric and `usage reconcile`: a lane is a producer, held is
 * leased.
 */
export const COMPARISONS = {
  'requests and days': 'requests of the month, and the sum of its daily series',
  'requests and lanes': 'requests of the month, and what its producers have counted',
  'orders and lanes': 'orders of the month, and what its producers have counted',
  'taken and held': 'units taken from the month, and what its producers leased, spent or not',
  'counted and held': 'what a producer has counted, and the units that it leased: no more than those',
} as const;

export type Comparison = keyof typeof COMPARISONS;

/** Two numbers that ought to be the same. */
export interface Difference {
  readonly project: string;
  readonly month: string;
  readonly comparison: Comparison;
  readonly recorded: number;
  readonly recomputed: number;
}

const PAGE = 200;
/** More differences than this are counted, but not listed. */
const MAX_LISTED = 100;

export function differencesOf(month: string, record: RecordAudit): Difference[] {
  const { project, requests, orders, taken, daily, producers } = record;
  const pairs: [Comparison, number, number][] = [['requests and days', requests, daily]];
  if (producers !== undefined) {
    pairs.push(
      ['requests and lanes', requests, producers.counted],
      ['orders and lanes', orders, producers.orders],
      ['taken and held', taken, producers.outstanding],
      ['counted and held', 0, producers.overdrawn],
    );
  }
  return pairs
    .filter(([, recorded, recomputed]) => recorded !== recomputed)
    .map(([comparison, recorded, recomputed]) => ({ project, month, comparison, recorded, recomputed }));
}

/** Sums a month's records. @returns `held`: acquired and not counted; `differences`: the first of them */
export async function auditMonth(usage: Pick<UsageUpkeep, 'audit'>, month: string) {
  const differences: Difference[] = [];
  let [records, requests, orders, held, differing] = [0, 0, 0, 0, 0];
  const all = readPages<RecordAudit>(PAGE, (after) => usage.audit(month, after?.project ?? '', PAGE));
  for await (const record of all) {
    // A key account's counts are in its project's record too.
    if (!isKeyAccount(record.project)) {
      records++;
      requests += record.requests;
      orders += record.orders;
      held += Math.max(record.taken - record.requests, 0);
    }
    const found = differencesOf(month, record);
    differing += found.length;
    differences.push(...found.slice(0, MAX_LISTED - differences.length));
  }
  return { month, records, requests, orders, held, differences, differing };
}

/** Months in which something may still be counted, the latest first. */
export function openMonths(now: number): string[] {
  const months = new Set<string>();
  for (let days = 0; days <= LATEST_DAYS + 1; days++) months.add(monthOf(dayOf(now - days * DAY_MS)));
  return [...months];
}
