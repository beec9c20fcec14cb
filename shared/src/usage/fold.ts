/** Many counted events become one change of each record that they touch. */
import { monthOf } from './calendar.ts';

/** What one event says of one project. */
export interface CountedEntry {
  readonly project: string;
  /** `2026-11-21`: the day, and so the month, in which it counts. */
  readonly day: string;
  readonly endpoint?: string;
  readonly requests: number;
  readonly orders: number;
}

/** An event that is to be counted once. */
export interface CountedEvent {
  readonly lane: string;
  /** Rises within the lane. */
  readonly sequence: number;
  readonly entries: readonly CountedEntry[];
}

/** What one event changes in one record. */
export interface Delta {
  readonly sequence: number;
  readonly entries: readonly CountedEntry[];
}

/** What a lane's events change in one record, in order. */
export interface MonthDeltas {
  readonly project: string;
  readonly month: string;
  readonly lane: string;
  readonly deltas: readonly Delta[];
}

/** Sums of some deltas. */
export interface FoldedDelta {
  /** The last event's. */
  readonly sequence: number;
  readonly requests: number;
  readonly orders: number;
  /** Requests by day and endpoint. */
  readonly days: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Sorts the events by the records that they change. One that comes again within them is left out. */
export function byRecord(events: readonly CountedEvent[]): MonthDeltas[] {
  const found = new Map<string, { project: string; month: string; lane: string; deltas: Growing[] }>();
  const seen = new Map<string, number>();
  for (const { lane, sequence, entries } of events) {
    if (sequence <= (seen.get(lane) ?? -1)) continue;
    seen.set(lane, sequence);
    for (const entry of entries) {
      const month = monthOf(entry.day);
      const key = `${lane}|${month}|${entry.project}`;
      let record = found.get(key);
      if (record === undefined) {
        record = { project: entry.project, month, lane, deltas: [] };
        found.set(key, record);
      }
      const last = record.deltas.at(-1);
      if (last?.sequence === sequence) last.entries.push(entry);
      else record.deltas.push({ sequence, entries: [entry] });
    }
  }
  return [...found.values()];
}

interface Growing {
  readonly sequence: number;
  readonly entries: CountedEntry[];
}

/** Sums what comes after a number; undefined when nothing does. A number that comes again changes nothing. */
export function foldAfter(deltas: readonly Delta[], applied: number): FoldedDelta | undefined {
  let [sequence, requests, orders] = [applied, 0, 0];
  const days = new Map<string, Map<string, number>>();
  for (const delta of deltas) {
    if (delta.sequence <= sequence) continue;
    sequence = delta.sequence;
    for (const entry of delta.entries) {
      requests += entry.requests;
      orders += entry.orders;
      if (entry.endpoint !== undefined && entry.requests > 0) {
        const day = days.get(entry.day) ?? new Map<string, number>();
        day.set(entry.endpoint, (day.get(entry.endpoint) ?? 0) + entry.requests);
        days.set(entry.day, day);
      }
    }
  }
  return sequence === applied ? undefined : { sequence, requests, orders, days };
}
