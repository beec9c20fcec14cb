/** Folds many usage events into one change of each record that they touch. */
import { monthOf } from './calendar.ts';

/** What one event says of one project. */
export interface CountedEntry {
  readonly project: string;
  /** `2026-11-21`: the day, and so the month, in which it counts. */
  readonly day: string;
  readonly endpoint?: string;
  /** In units, as everywhere in the ledger. */
  readonly requests: number;
  readonly orders: number;
}

/** An event that is to be counted once. */
export interface CountedEvent {
  readonly producer: string;
  /** Rises within the producer. */
  readonly sequence: number;
  readonly entries: readonly CountedEntry[];
}

/** An entry with the number of its event. */
interface NumberedEntry {
  readonly sequence: number;
  readonly entry: CountedEntry;
}

/** What a producer's events change in a record, in order; several entries may have the same number. */
export interface ProducerDeltas {
  readonly producer: string;
  /** Never empty. */
  readonly deltas: readonly NumberedEntry[];
}

/** What events change in one record: a project's month. */
export interface RecordDeltas {
  readonly project: string;
  readonly month: string;
  /** Each producer once. */
  readonly producers: readonly ProducerDeltas[];
}

/** Requests by day and endpoint. */
export type DaySums = Map<string, Map<string, number>>;

/** Sums of some deltas. */
export interface FoldedDelta {
  /** The last event's. */
  readonly sequence: number;
  readonly requests: number;
  readonly orders: number;
}

interface Growing {
  readonly project: string;
  readonly month: string;
  readonly producers: { readonly producer: string; readonly deltas: NumberedEntry[] }[];
}

/** Groups the events by the records that they change, without repetitions. */
export function byRecord(events: readonly CountedEvent[]): RecordDeltas[] {
  const months = new Map<string, Map<string, Growing>>();
  const last = new Map<string, number>();
  for (const { producer, sequence, entries } of events) {
    if (sequence <= (last.get(producer) ?? -1)) continue;
    last.set(producer, sequence);
    for (const entry of entries) {
      const { producers } = recordOf(months, entry.project, monthOf(entry.day));
      // At most a handful: the producers of one partition.
      let own = producers.find((one) => one.producer === producer);
      if (own === undefined) producers.push((own = { producer, deltas: [] }));
      own.deltas.push({ sequence, entry });
    }
  }
  return [...months.values()].flatMap((projects) => [...projects.values()]);
}

function recordOf(months: Map<string, Map<string, Growing>>, project: string, month: string): Growing {
  let projects = months.get(month);
  if (projects === undefined) months.set(month, (projects = new Map<string, Growing>()));
  let record = projects.get(project);
  if (record === undefined) projects.set(project, (record = { project, month, producers: [] }));
  return record;
}

/**
 * Sums what comes after a number, and adds its requests to `days`; undefined when nothing does. A number that was
 * applied before changes nothing.
 */
export function foldAfter(
  { deltas }: ProducerDeltas,
  applied: number,
  days: DaySums,
): FoldedDelta | undefined {
  let [last, requests, orders] = [applied, 0, 0];
  for (const { sequence, entry } of deltas) {
    if (sequence <= applied) continue;
    last = sequence;
    requests += entry.requests;
    orders += entry.orders;
    if (entry.endpoint !== undefined && entry.requests > 0) {
      let day = days.get(entry.day);
      if (day === undefined) days.set(entry.day, (day = new Map<string, number>()));
      day.set(entry.endpoint, (day.get(entry.endpoint) ?? 0) + entry.requests);
    }
  }
  return last === applied ? undefined : { sequence: last, requests, orders };
}
