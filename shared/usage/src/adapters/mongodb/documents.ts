/**
 * Usage as MongoDB stores it, and the indexes of its queries. Names of fields and collections call a producer
 * a lane, and its leased units `held`, as an earlier version did.
 */
import { partsOf } from '@hindsight/kernel/parts.ts';
import type { RecordName } from '../../calendar.ts';
import type { CollectionIndexes } from '@hindsight/stores/mongodb-indexes.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { ThresholdReached } from '../../alerts/ports.ts';
import type { MonthUsage } from '../../ports.ts';

/** A project's month: one document, so that each change is one atomic update. */
export interface UsageDocument {
  readonly _id: string;
  readonly month: string;
  readonly taken: number;
  readonly requests: number;
  readonly orders: number;
  readonly lanes?: Readonly<Record<string, ProducerPart>>;
  /** Producers that may have units, for an index to find them. */
  readonly holders?: readonly string[];
  readonly days?: MonthUsage['days'];
  readonly statuses?: MonthUsage['statuses'];
  readonly keys?: MonthUsage['keys'];
  /** Units that producers taken out had leased and counted: the same number for both. */
  readonly past?: number;
  /**
   * Number of times that producers were taken out: a writer that has not seen the last must not add one
   * again.
   */
  readonly pruned?: number;
  /** Set once the month is settled: nothing more is counted. */
  readonly settled?: true;
  /** Rises with each change of the counts; missing before the first change by this version. */
  readonly revision?: number;
}

/** A record whose counters a copy may lack. */
export interface UnpublishedDocument {
  /** The record's. */
  readonly _id: string;
  /** Number of times that it was noted: only a reader that has seen the last one removes it. */
  readonly times: number;
}

interface ProcessDocument {
  readonly _id: string;
  /** The signs of life that it has given. */
  readonly beats: number;
}

interface ProgressDocument {
  readonly _id: string;
  /** Everything published before is counted, Unix milliseconds. */
  readonly to: number;
}

/** A producer's part of a record. An earlier version also stored a mark `lost`, which changes nothing. */
export interface ProducerPart {
  readonly held?: number;
  readonly revision?: number;
  readonly counted?: number;
  readonly orders?: number;
  readonly applied?: number;
}

/** A producer that has ended. An earlier version wrote documents of other states too; they stay unchanged. */
export interface ProducerDocument {
  readonly _id: string;
  readonly state: 'closed';
  /** By the server's clock. */
  readonly endedAt?: Date;
  /** Set once no record has a part of it. */
  readonly pruned?: true;
}

export interface AlertDocument extends ThresholdReached {
  readonly _id: string;
  /**
   * Missing once its event is published; before, the end of the last claim to publish it, 0 if there was
   * none.
   */
  readonly claimedUntil?: number;
}

interface ThresholdsDocument {
  /** The project's. */
  readonly _id: string;
  readonly thresholds: readonly number[];
}

/** One index for each kind of query. */
export const USAGE_INDEXES: readonly CollectionIndexes[] = [
  {
    collection: 'usage',
    indexes: [
      { name: 'holders', key: { holders: 1 } },
      { name: 'settled-month', key: { settled: 1, month: 1 } },
    ],
  },
  {
    collection: 'usage_lanes',
    indexes: [{ name: 'state-pruned-ended', key: { state: 1, pruned: 1, endedAt: 1 } }],
  },
  { collection: 'usage_alerts', indexes: [{ name: 'claimed-until', key: { claimedUntil: 1 } }] },
];

/** Signs of life need no majority on disk: that would be too late, and a lost one does no harm. */
const OF_THE_MOMENT = { readConcern: { level: 'local' }, writeConcern: { w: 1, journal: false } } as const;

export type Collections = ReturnType<typeof collectionsOf>;

function collectionsOf({ db }: MongoStore) {
  return {
    db,
    usage: db.collection<UsageDocument>('usage'),
    producers: db.collection<ProducerDocument>('usage_lanes'),
    unpublished: db.collection<UnpublishedDocument>('usage_unpublished'),
    alerts: db.collection<AlertDocument>('usage_alerts'),
    thresholds: db.collection<ThresholdsDocument>('usage_thresholds'),
    progress: db.collection<ProgressDocument>('usage_progress'),
    processes: db.collection<ProcessDocument>('usage_processes', OF_THE_MOMENT),
  };
}

/** Runs work on the collections. @throws {StoreUnavailable} */
export type Run = <T>(work: (collections: Collections) => Promise<T>) => Promise<T>;

export function runOn(store: MongoStore): Run {
  const collections = collectionsOf(store);
  return (work) => store.run(() => work(collections));
}

export function recordOf(id: string): RecordName {
  const [month = ''] = id.split('|', 1);
  return { month, project: id.slice(month.length + 1) };
}

/** Records of one read, or one bulk write. */
const MOST_AT_ONCE = 500;

/** Works on all records, as many at a time as one command takes. @returns all results in one */
export async function inParts<T, R>(
  records: readonly T[],
  work: (some: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const results: R[] = [];
  for (const some of partsOf(records, MOST_AT_ONCE)) results.push(...(await work(some)));
  return results;
}

/** Records whose producers are changed by one bulk write. */
export const RECORDS_AT_ONCE = 200;

/** Races between gateways are decided within a few attempts; more mean that something is wrong. */
const MAX_ROUNDS = 50;

/** Retries work that returns undefined because of a write conflict. */
export async function inRounds<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await work();
    if (result !== undefined) return result;
  }
  throw new StoreUnavailable('MongoDB', `gave up after ${MAX_ROUNDS} write conflicts`);
}
