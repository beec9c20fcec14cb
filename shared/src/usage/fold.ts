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

/** An entry with the number of its event. */
interface NumberedEntry {
  readonly sequence: number;
  readonly entry: CountedEntry;
}

/** What a lane's events change in a record, in order; several entries may have the same number. */
export interface LaneDeltas {
  readonly lane: string;
  /** Never empty. */
  readonly deltas: readonly NumberedEntry[];
}

/** What events change in one record: a project's month. */
export interface RecordDeltas {
  readonly project: string;
  readonly month: string;
  /** Each lane once. */
  readonly lanes: readonly LaneDeltas[];
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
  readonly lanes: { readonly lane: string; readonly deltas: NumberedEntry[] }[];
}

/** Sorts the events by the records that they change. One that comes again within them is left out. */
export function byRecord(events: readonly CountedEvent[]): RecordDeltas[] {
  const months = new Map<string, Map<string, Growing>>();
  const last = new Map<string, number>();
  for (const { lane, sequence, entries } of events) {
    if (sequence <= (last.get(lane) ?? -1)) continue;
    last.set(lane, sequence);
    for (const entry of entries) {
      const { lanes } = recordOf(months, entry.project, monthOf(entry.day));
      // A handful at most: lanes of one partition.
      let own = lanes.find((one) => one.lane === lane);
      if (own === undefined) lanes.push((own = { lane, deltas: [] }));
      own.deltas.push({ sequence, entry });
    }
  }
  return [...months.values()].flatMap((projects) => [...projects.values()]);
}

function recordOf(months: Map<string, Map<string, Growing>>, project: string, month: string): Growing {
  let projects = months.get(month);
  if (projects === undefined) months.set(month, (projects = new Map<string, Growing>()));
  let record = projects.get(project);
  if (record === undefined) projects.set(project, (record = { project, month, lanes: [] }));
  return record;
}

/**
 * The last event for which there is room, when those after `applied` take theirs in order, each whole or not at all.
 * @returns its number; `applied` when there is none for the next one
 */
export function lastWithRoom({ deltas }: LaneDeltas, applied: number, room: number): number {
  let [last, left] = [applied, room];
  for (const [at, { sequence, entry }] of deltas.entries()) {
    if (sequence <= applied) continue;
    left -= entry.requests;
    if (left < 0) break;
    if (deltas[at + 1]?.sequence !== sequence) last = sequence;
  }
  return last;
}

/**
 * Sums what comes after a number, up to another, and adds its requests to `days`; undefined when nothing does. A number
 * that was applied before changes nothing.
 */
export function foldAfter(
  { deltas }: LaneDeltas,
  applied: number,
  days: DaySums = new Map(),
  upTo = Infinity,
): FoldedDelta | undefined {
  let [last, requests, orders] = [applied, 0, 0];
  for (const { sequence, entry } of deltas) {
    if (sequence <= applied) continue;
    if (sequence > upTo) break;
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
