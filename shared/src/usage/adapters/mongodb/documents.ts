/** Usage in MongoDB as it is stored, and the indexes that its queries stand on. */
import type { Collection, Db } from 'mongodb';
import type { CollectionIndexes, MongoStore } from '../../../stores/mongodb.ts';
import { StoreUnavailable } from '../../../stores/unavailable.ts';
import type { MonthUsage } from '../../ports.ts';

/** A project's month: one document, so that each change is one atomic update. */
export interface UsageDocument {
  readonly _id: string;
  readonly month: string;
  readonly taken: number;
  /** The limit under which something was taken last. */
  readonly leaseLimit?: number;
  readonly requests: number;
  readonly orders: number;
  readonly lanes?: Readonly<Record<string, LanePart>>;
  /** Lanes that may hold units: what an index can find them by. */
  readonly holders?: readonly string[];
  readonly days?: MonthUsage['days'];
  /** What lanes held and counted that were taken out: the same number for both. */
  readonly past?: number;
  /** How often lanes were taken out: who has not seen that must not add one of them again. */
  readonly pruned?: number;
  /** Nothing is counted any more. */
  readonly settled?: true;
}

/** A lane's part of a record. */
export interface LanePart {
  readonly held?: number;
  readonly revision?: number;
  readonly counted?: number;
  readonly orders?: number;
  readonly applied?: number;
  /** Its units were given back although not all that it counted was known: what it counts later it takes anew. */
  readonly lost?: true;
}

/** A lane's life. */
export interface LaneDocument {
  readonly _id: string;
  /** `giving up`: it has ended, and its units are on their way back; whoever finds it so does the rest. */
  readonly state: 'open' | 'giving up' | 'given up' | 'closed';
  /** By the server's clock. */
  readonly renewedAt?: Date;
  readonly endedAt?: Date;
  /** No record has a part of it any more. */
  readonly pruned?: true;
}

/** What the queries stand on. */
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
    indexes: [
      { name: 'state-renewed', key: { state: 1, renewedAt: 1 } },
      { name: 'state-pruned-ended', key: { state: 1, pruned: 1, endedAt: 1 } },
    ],
  },
];

/** Both collections. */
export interface Collections {
  readonly usage: Collection<UsageDocument>;
  readonly lanes: Collection<LaneDocument>;
  readonly db: Db;
}

/** Runs work on the collections. @throws {StoreUnavailable} */
export type Run = <T>(work: (collections: Collections) => Promise<T>) => Promise<T>;

/** How the store is worked with. */
export function runOn(store: MongoStore): Run {
  return (work) =>
    store.run((db) =>
      work({
        db,
        usage: db.collection<UsageDocument>('usage'),
        lanes: db.collection<LaneDocument>('usage_lanes'),
      }),
    );
}

/** The name of a record. */
export function idOf(project: string, month: string): string {
  return `${month}|${project}`;
}

/** The condition that finds a month's records, those behind a project only. */
export function inMonth(month: string, after = ''): { $gt: string; $lt: string } {
  return { $gt: idOf(after, month), $lt: `${month}}` };
}

/** Races between gateways are decided within a few rounds; more mean that something is wrong. */
const MOST_ROUNDS = 50;

/** Again while others were faster. */
export async function inRounds<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const result = await work();
    if (result !== undefined) return result;
  }
  throw new StoreUnavailable('MongoDB', `others were faster ${MOST_ROUNDS} times`);
}
