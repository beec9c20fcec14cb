import { afterAll, expect, it } from '@jest/globals';
import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { createLifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { openMongodb, type MongoStore } from '@hindsight/shared/stores/mongodb.ts';
import type { Db } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { foldText } from '../domain/lists.ts';
import type { TokenIndex } from '../ports.ts';
import { describeTokenIndex, type OpenIndex } from './index.contract.ts';
import { appendAll, listed, rangeOf, tokensUpTo } from './index.fixtures.contract.ts';
import { COLLECTIONS, TOKEN_INDEXES } from './mongodb-documents.ts';
import { createMongodbIndex } from './mongodb-index.ts';
import { LIST_QUESTIONS } from './mongodb-list.ts';

class Killed extends Error {}

/** The store of an indexer that is killed at its n-th write: that one takes place or not, and nothing follows. */
function killedAt(store: MongoStore, writes: number, lastTakesPlace: boolean): MongoStore {
  let left = writes;
  const WRITES = new Set(['insertOne', 'insertMany', 'updateOne', 'updateMany', 'bulkWrite']);
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, property) {
        const value: unknown = Reflect.get(object, property, object);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => (value as (...args: unknown[]) => unknown).apply(object, args);
          if (property === 'collection') return mortal(call() as object);
          if (!WRITES.has(String(property))) return call();
          left -= 1;
          if (left > 0) return call();
          if (left < 0 || !lastTakesPlace) return Promise.reject(new Killed());
          return (call() as Promise<unknown>).then(() => Promise.reject(new Killed()));
        };
      },
    });
  return { ...store, run: (work) => store.run((db: Db) => work(mortal(db))) };
}

await describeOnServers(
  'Token index in MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    const lifecycle = createLifecycle(logger);
    afterAll(() => lifecycle.shutdown('the suite is over'));

    async function openStore(): Promise<MongoStore> {
      const url = withDatabase(mongodb.address, `tokens-${randomUUID()}`);
      return openMongodb({ url }, TOKEN_INDEXES, lifecycle);
    }

    async function open(): Promise<OpenIndex> {
      const store = await openStore();
      return {
        index: createMongodbIndex(store),
        another: async () => createMongodbIndex(store),
        close: async () => void (await store.db.dropDatabase()),
      };
    }

    describeTokenIndex(open, 3);

    async function expectWhole(index: TokenIndex, count: number): Promise<void> {
      const tokens = tokensUpTo(count).map(listed);
      expect((await index.page({}, 0, 100)).tokens).toEqual(tokens);
      for (const prefix of ['u', 'usd', 'uniswap v2']) {
        const matches = tokens.filter(
          ({ name, symbol }) => foldText(name).startsWith(prefix) || foldText(symbol).startsWith(prefix),
        );
        const page = await index.page({ prefix }, 0, 100);
        expect(page).toEqual({ total: matches.length, tokens: matches });
      }
    }

    it('goes on without gaps or doubles from wherever an indexer was killed', async () => {
      const tokens = tokensUpTo(30);
      let writes = 1;
      for (; ; writes++) {
        const store = await openStore();
        const mortal = createMongodbIndex(killedAt(store, writes, writes % 2 === 0));
        const before = await appendAll(createMongodbIndex(store), tokens, [103]);
        const death = await appendAll(mortal, tokens, [106]).catch((error: unknown) => error);
        if (!(death instanceof Killed)) break;
        // Whoever reads in between sees nothing of what is half done, or all of it.
        const { total } = await createMongodbIndex(store).page({}, 0, 100);
        expect([before.count, 21]).toContain(total);
        await expectWhole(createMongodbIndex(store), total);
        const next = createMongodbIndex(store);
        const resumed = await next.resume();
        await appendAll(next, tokens, resumed!.number < 106 ? [106, 109] : [109]);
        await expectWhole(next, 30);
        await store.db.dropDatabase();
        expect(writes).toBeLessThan(20);
      }
    });

    it('takes nothing wrong from an indexer that was paused and goes on', async () => {
      const tokens = tokensUpTo(30);
      const store = await openStore();
      const zombie = createMongodbIndex(store);
      const base = await appendAll(zombie, tokens, [101]);
      // Paused right after its entry is in the log: another completes it, and goes further.
      const paused = createMongodbIndex(killedAt(store, 2, false));
      await expect(paused.append(base, rangeOf(102, 104, tokens))).rejects.toThrow(Killed);
      const next = createMongodbIndex(store);
      await appendAll(next, tokens, [107, 109]);
      await expect(zombie.append(base, rangeOf(102, 108, tokens))).rejects.toThrow('moved the index on');
      await expectWhole(next, 30);
    });

    // The native test server has no `explain`, and no index that would matter.
    const onlyOnMongodb = mongodb.source === 'native' ? it.skip : it;
    onlyOnMongodb('answers every question of the list from one index, without sorting', async () => {
      const store = await openStore();
      await appendAll(createMongodbIndex(store), tokensUpTo(60), [150]);
      const questions = [
        [COLLECTIONS.tokens, LIST_QUESTIONS.all(10, 20)],
        [COLLECTIONS.tokens, LIST_QUESTIONS.ordinals([1, 5, 9])],
        [COLLECTIONS.places, LIST_QUESTIONS.listed('erc20\t', 3, 9)],
        [COLLECTIONS.places, LIST_QUESTIONS.last('\tuni', 1)],
      ] as const;
      for (const [collection, { filter, sort }] of questions) {
        const plan = await store.db
          .collection(collection)
          .find(filter as object)
          .sort(sort)
          .explain('queryPlanner');
        const text = JSON.stringify(plan.queryPlanner.winningPlan);
        expect(text).toContain('IXSCAN');
        expect(text).not.toMatch(/COLLSCAN|"SORT"/);
      }
    });

    it('asks the list by equality or a range on one index only', () => {
      const indexed = new Set(['_id', 'ordinal']);
      const asked = [
        LIST_QUESTIONS.all(0, 9),
        LIST_QUESTIONS.ordinals([1]),
        LIST_QUESTIONS.listed('l', 0, 9),
        LIST_QUESTIONS.last('l', 1),
      ];
      for (const { filter, sort } of asked) {
        const [field] = Object.keys(filter);
        expect(indexed.has(field!)).toBe(true);
        expect(Object.keys(sort)).toEqual([field]);
      }
    });
  },
);
