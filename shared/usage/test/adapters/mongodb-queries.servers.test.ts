/** Queries of the usage store, observed at MongoDB: none may examine more documents than it concerns. */
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Collection, Db, Document, Filter, Sort } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openMongodb, type MongoStore } from '@hindsight/stores/mongodb.ts';
import { useAll } from '../contract/use-all.contract.ts';
import type { AlertStore } from '../../src/alerts/ports.ts';
import { createMongodbAlerts } from '../../src/adapters/mongodb/alerts.ts';
import { runOn, USAGE_INDEXES } from '../../src/adapters/mongodb/documents.ts';
import { createMongodbUsage } from '../../src/adapters/mongodb/store.ts';

/** A question, or the condition of a change. */
interface Query {
  readonly collection: string;
  readonly filter: Filter<Document>;
  sort: Record<string, 1>;
}

const BY_FILTER = new Set(['find', 'findOne', 'findOneAndUpdate', 'updateOne', 'updateMany', 'deleteMany']);

/** The store, with a record of every query. A method that this test does not know is a failure. */
function recorded(store: MongoStore, queries: Query[]): MongoStore {
  const watched = (collection: Collection): Collection =>
    new Proxy(collection, {
      get: (target, property) => {
        const method = String(property);
        const call = (Reflect.get(target, property) as (...args: unknown[]) => unknown).bind(target);
        return (...args: unknown[]): unknown => {
          const found = filtersOf(method, args[0]).map((filter) => {
            return { collection: target.collectionName, filter, sort: {} };
          });
          queries.push(...found);
          const result = call(...args);
          return method === 'find' ? sorting(result as Cursor, found[0]!) : result;
        };
      },
    });
  const collections = (db: Db): Db =>
    new Proxy(db, {
      get: (target, property) => {
        if (property === 'collection') return (name: string) => watched(target.collection(name));
        return (Reflect.get(target, property) as () => unknown).bind(target);
      },
    });
  return { ...store, db: collections(store.db) };
}

function filtersOf(method: string, first: unknown): Document[] {
  if (method === 'insertOne') return [];
  if (BY_FILTER.has(method)) return [first as Document];
  if (method !== 'bulkWrite') throw new Error(`${method} is not known to this test`);
  return (first as { updateOne: { filter: Document } }[]).map(({ updateOne }) => updateOne.filter);
}

interface Cursor {
  sort(by: Sort): Cursor;
}

function sorting(cursor: Cursor, query: Query): Cursor {
  const sort = cursor.sort.bind(cursor);
  cursor.sort = (by) => {
    query.sort = by as Record<string, 1>;
    return sort(by);
  };
  return cursor;
}

const RANGE = new Set(['$gt', '$gte', '$lt', '$lte']);

/** The part of an index that a condition can use: points, a range, or nothing. */
function kindOf(condition: unknown): 'points' | 'range' | undefined {
  if (condition === null || typeof condition !== 'object') return 'points';
  const operators = Object.entries(condition);
  if (operators.every(([name]) => RANGE.has(name))) return 'range';
  const points = operators.every(
    ([name, value]) => name === '$in' || (name === '$exists' && value === false),
  );
  return points ? 'points' : undefined;
}

/**
 * True if an index serves a whole query: points of its first fields, then at most one range, in its own
 * order.
 */
function holds(fields: readonly string[], { filter, sort }: Query): boolean {
  const asked = Object.keys(filter);
  const kinds = fields.slice(0, asked.length).map((field) => kindOf(filter[field]));
  const all = asked.every((field) => fields.slice(0, asked.length).includes(field));
  const inOrder = Object.keys(sort).every((field, at) => field === fields[at]);
  return (
    all && inOrder && kinds.slice(0, -1).every((kind) => kind === 'points') && kinds.at(-1) !== undefined
  );
}

/** The index that serves a query. Documents named by their ids may be filtered by any condition. */
function indexOf(query: Query): string | undefined {
  if ('_id' in query.filter && kindOf(query.filter._id) === 'points') return '_id_';
  const declared = USAGE_INDEXES.find(({ collection }) => collection === query.collection)?.indexes ?? [];
  const indexes = [{ name: '_id_', key: { _id: 1 } }, ...declared];
  return indexes.find(({ key }) => holds(Object.keys(key), query))?.name;
}

/** Asks all that alerts ask about many. */
async function useAlerts(alerts: AlertStore): Promise<void> {
  const record = { project: 'ada', month: '2026-11' };
  await alerts.counted([record]);
  await alerts.reach({ ...record, threshold: 80, requests: 80, limit: 100, at: 1 });
  await alerts.published(await alerts.claim({ now: 2, until: 3 }, 10));
  expect(await alerts.reached(record)).toHaveLength(1);
}

await describeOnServers(
  'the questions of usage in MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const queries: Query[] = [];
    let store: MongoStore;

    beforeAll(async () => {
      const url = withDatabase(mongodb.address, `usage-queries-${randomUUID()}`);
      store = await openMongodb({ url }, USAGE_INDEXES, lifecycle);
      const watched = recorded(store, queries);
      await useAlerts(createMongodbAlerts(runOn(watched)));
      await useAll(createMongodbUsage(watched), (method) => {
        const asked = queries.length;
        return () => expect({ method, asks: queries.length > asked }).toEqual({ method, asks: true });
      });
    });
    afterAll(async () => {
      await store?.db.dropDatabase();
      await lifecycle.shutdown('the suite is over');
    });

    it('are answered by points or one range of one index', () => {
      const shapes = queries.filter((query) => indexOf(query) === undefined);
      expect(shapes).toEqual([]);
    });

    it('use every index', () => {
      const used = new Set(queries.map((query) => `${query.collection}: ${indexOf(query)}`));
      const declared = USAGE_INDEXES.flatMap(({ collection, indexes }) =>
        ['_id_', ...indexes.map(({ name }) => name)].map((name) => `${collection}: ${name}`),
      );
      expect([...used].sort()).toEqual(declared.sort());
    });

    // The native test server has no `explain` and no real indexes.
    const onlyOnMongodb = mongodb.source === 'native' ? it.skip : it;
    onlyOnMongodb('are answered so by MongoDB itself', async () => {
      for (const { collection, filter, sort } of queries) {
        const found = store.db.collection(collection).find(filter).sort(sort);
        const plan = JSON.stringify((await found.explain('queryPlanner')).queryPlanner.winningPlan);
        expect(plan).toMatch(/IXSCAN|IDHACK|EXPRESS/);
        expect(plan).not.toMatch(/COLLSCAN|"SORT"/);
      }
    });
  },
);
