/** Folds many usage events into one change of each record that they touch. */
import { monthOf, recordKey } from './calendar.ts';
import { keyAccount } from './key-account.ts';

export interface CountedEntry {
  readonly project: string;
  /** `2026-11-21`: the day, and so the month, in which it counts. */
  readonly day: string;
  readonly endpoint?: string;
  readonly status?: number | undefined;
  readonly key?: string | undefined;
  /**
   * True if the key has a monthly cap: its units were leased from its account too, and are counted there too.
   */
  readonly capped?: boolean | undefined;
  /** In units, as everywhere in the ledger. */
  readonly requests: number;
  readonly orders: number;
}

export interface CountedEvent {
  readonly producer: string;
  /** Rises within the producer. */
  readonly sequence: number;
  readonly entries: readonly CountedEntry[];
}

interface NumberedEntry {
  readonly sequence: number;
  readonly entry: CountedEntry;
}

/** A producer's changes of a record, in order; several entries may have the same number. */
export interface ProducerDeltas {
  readonly producer: string;
  /** Never empty. */
  readonly deltas: readonly NumberedEntry[];
}

export interface RecordDeltas {
  readonly project: string;
  readonly month: string;
  /** Each producer once. */
  readonly producers: readonly ProducerDeltas[];
}

/** Requests by day and one more dimension; all combinations would be too many. */
type Breakdown = 'days' | 'statuses' | 'keys';

/** Sums of requests by day, and by endpoint, status or key. */
export class DaySums {
  readonly #sums = new Map<Breakdown, Map<string, Map<string, number>>>();

  add(breakdown: Breakdown, day: string, name: string | number | undefined, requests: number): void {
    if (name === undefined) return;
    const days = entryOf(this.#sums, breakdown, () => new Map<string, Map<string, number>>());
    const names = entryOf(days, day, () => new Map<string, number>());
    names.set(String(name), (names.get(String(name)) ?? 0) + requests);
  }

  *entries(): Generator<[breakdown: Breakdown, day: string, name: string, requests: number]> {
    for (const [breakdown, days] of this.#sums)
      for (const [day, names] of days)
        for (const [name, requests] of names) yield [breakdown, day, name, requests];
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

interface Growing {
  readonly project: string;
  readonly month: string;
  readonly producers: { readonly producer: string; readonly deltas: NumberedEntry[] }[];
}

/** Groups the events by the records that they change, without repetitions. */
export function byRecord(events: readonly CountedEvent[]): RecordDeltas[] {
  const records = new Map<string, Growing>();
  const last = new Map<string, number>();
  for (const { producer, sequence, entries } of events) {
    if (sequence <= (last.get(producer) ?? -1)) continue;
    last.set(producer, sequence);
    for (const entry of entries.flatMap(withAccount)) {
      const name = { project: entry.project, month: monthOf(entry.day) };
      const { producers } = entryOf(records, recordKey(name), () => ({ ...name, producers: [] }));
      // At most a handful: the producers of one partition.
      let own = producers.find((one) => one.producer === producer);
      if (own === undefined) producers.push((own = { producer, deltas: [] }));
      own.deltas.push({ sequence, entry });
    }
  }
  return [...records.values()];
}

/** The entry, and its counts for its key's account, if the key has one. */
function withAccount(entry: CountedEntry): CountedEntry[] {
  const { project, day, endpoint, key, capped, requests } = entry;
  if (key === undefined || capped !== true) return [entry];
  return [
    entry,
    {
      project: keyAccount(project, key),
      day,
      requests,
      orders: 0,
      ...(endpoint !== undefined && { endpoint }),
    },
  ];
}

/**
 * Sums the entries after a number, and adds their requests to `sums`; undefined if there are none. Entries up
 * to the number were applied before.
 * @returns the sums, with the last event's number
 */
export function foldAfter({ deltas }: ProducerDeltas, applied: number, sums: DaySums) {
  let [last, requests, orders] = [applied, 0, 0];
  for (const { sequence, entry } of deltas) {
    if (sequence <= applied) continue;
    last = sequence;
    requests += entry.requests;
    orders += entry.orders;
    if (entry.requests === 0) continue;
    sums.add('days', entry.day, entry.endpoint, entry.requests);
    sums.add('statuses', entry.day, entry.status, entry.requests);
    sums.add('keys', entry.day, entry.key, entry.requests);
  }
  return last === applied ? undefined : { sequence: last, requests, orders };
}
