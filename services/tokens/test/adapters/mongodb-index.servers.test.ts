import { afterAll, expect, it } from '@jest/globals';
import { CheckpointConflict } from '@hindsight/indexing/position.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { inCausalOrder } from '@hindsight/stores/mongodb-causal.ts';
import { openMongodb, type MongoStore } from '@hindsight/stores/mongodb.ts';
import type { Db } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { id } from 'ethers';
import { listsOf } from '../../src/domain/lists.ts';
import type { Checkpoint, TokenIndex } from '../../src/ports.ts';
import { describeTokenIndex, type OpenIndex } from './index.contract.ts';
import {
  addressOf,
  appendAll,
  listed,
  matching,
  rangeOf,
  rowsAsBefore,
  tokenOf,
  tokensUpTo,
  type RowsAsBefore,
} from './index.fixtures.contract.ts';
import {
  collectionsOf,
  indexesOf,
  positionId,
  type LogDocument,
} from '../../src/adapters/mongodb-documents.ts';
import { createMongodbIndex } from '../../src/adapters/mongodb-index.ts';
import { LIST_QUERIES } from '../../src/adapters/mongodb-list.ts';
import { Projection } from '../../src/adapters/mongodb-projection.ts';

const COLLECTIONS = collectionsOf('eth-mainnet');

class Killed extends Error {}

type Call = () => Promise<unknown>;

const WRITES = new Set(['insertOne', 'insertMany', 'updateOne', 'updateMany', 'bulkWrite']);

/** A store whose calls of the given names, counted from 1, meet the given fates. */
function fated(
  store: MongoStore,
  fate: (n: number, call: Call) => Promise<unknown>,
  calls: ReadonlySet<string> = WRITES,
): MongoStore {
  let met = 0;
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, property) {
        const value: unknown = Reflect.get(object, property, object);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => (value as (...args: unknown[]) => unknown).apply(object, args);
          if (property === 'collection') return mortal(call() as object);
          return calls.has(String(property)) ? fate(++met, call as Call) : call();
        };
      },
    });
  return { ...store, run: (work) => store.run((db: Db) => work(mortal(db))) };
}

/** The store of an indexer that is killed at its n-th write: that one happens or not, and nothing follows. */
function killedAt(store: MongoStore, last: number, lastHappens: boolean): MongoStore {
  return fated(store, async (n, write) => {
    if (n < last || (n === last && lastHappens)) await write();
    if (n >= last) throw new Killed();
  });
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
      return openMongodb({ url }, indexesOf(COLLECTIONS), lifecycle);
    }

    async function open(): Promise<OpenIndex> {
      const store = await openStore();
      return {
        index: createMongodbIndex(store, COLLECTIONS),
        another: async () => createMongodbIndex(store, COLLECTIONS),
        writeAsBefore: (base, rows) => writeAsBefore(store, base, rows),
        close: async () => void (await store.db.dropDatabase()),
      };
    }

    async function writeAsBefore(
      { db }: MongoStore,
      base: Omit<Checkpoint, 'words'>,
      { tokens, positions }: RowsAsBefore,
    ): Promise<void> {
      const entry = base.version;
      await COLLECTIONS.tokens(db).insertMany(
        tokens.map((token, ordinal) => {
          return { ...token, _id: token.address.toLowerCase(), ordinal, looks: 0, entry };
        }),
      );
      await COLLECTIONS.positions(db).insertMany(
        positions.map(({ list, n, ordinal }) => ({ _id: positionId(list, n), ordinal, entry })),
      );
      await COLLECTIONS.checkpoint(db).insertOne({ _id: 'checkpoint', ...base });
    }

    describeTokenIndex(open, 3);

    it('adds words without gaps or duplicates wherever an indexer was killed', async () => {
      const tokens = tokensUpTo(30);
      const { hash } = rangeOf(100, 109, []);
      const base = { from: 100, number: 109, hash, count: 30, version: 1 };
      for (let writes = 1; ; writes++) {
        const store = await openStore();
        await writeAsBefore(store, base, rowsAsBefore(tokens));
        const mortal = createMongodbIndex(killedAt(store, writes, writes % 2 === 0), COLLECTIONS);
        const death = await mortal.addWords((await mortal.resume())!, 20).catch((error: unknown) => error);
        const next = createMongodbIndex(store, COLLECTIONS);
        const resumed = (await next.resume())!;
        // The entry of the log decides: the first write, or none.
        expect(resumed.words).toBe(writes === 1 ? 0 : 20);
        const whole = await next.addWords(resumed, 30);
        expect(whole.words).toBe(30);
        const { total, tokens: found } = await next.page({ prefix: 'coin' }, 0, 50);
        expect(found).toEqual(tokens.map(listed).filter(({ name }) => name === 'USD Coin'));
        expect(total).toBe(found.length);
        await store.db.dropDatabase();
        if (!(death instanceof Killed)) break;
        expect(writes).toBeLessThan(10);
      }
    });

    async function expectWhole(index: TokenIndex, count: number): Promise<void> {
      const tokens = tokensUpTo(count).map(listed);
      expect((await index.page({}, 0, 100)).tokens).toEqual(tokens);
      for (const prefix of ['u', 'usd', 'uniswap v2', 'coin']) {
        const matches = matching(tokens, { prefix });
        const page = await index.page({ prefix }, 0, 100);
        expect(page).toEqual({ total: matches.length, tokens: matches });
      }
    }

    it('continues without gaps or duplicates wherever an indexer was killed', async () => {
      const tokens = tokensUpTo(30);
      let writes = 1;
      for (; ; writes++) {
        const store = await openStore();
        const mortal = createMongodbIndex(killedAt(store, writes, writes % 2 === 0), COLLECTIONS);
        const before = await appendAll(createMongodbIndex(store, COLLECTIONS), tokens, [103]);
        const death = await appendAll(mortal, tokens, [106]).catch((error: unknown) => error);
        if (!(death instanceof Killed)) break;
        // A reader in between sees none of a half-done change, or all of it.
        const { total } = await createMongodbIndex(store, COLLECTIONS).page({}, 0, 100);
        expect([before.count, 21]).toContain(total);
        await expectWhole(createMongodbIndex(store, COLLECTIONS), total);
        const next = createMongodbIndex(store, COLLECTIONS);
        const resumed = await next.resume();
        await appendAll(next, tokens, resumed!.number < 106 ? [106, 109] : [109]);
        await expectWhole(next, 30);
        await store.db.dropDatabase();
        expect(writes).toBeLessThan(20);
      }
    });

    it('accepts no stale write from an indexer that was paused and resumes', async () => {
      const tokens = tokensUpTo(30);
      const store = await openStore();
      const zombie = createMongodbIndex(store, COLLECTIONS);
      const base = await appendAll(zombie, tokens, [101]);
      // Paused right after its entry is in the log: another completes it and continues.
      const paused = createMongodbIndex(killedAt(store, 2, false), COLLECTIONS);
      await expect(paused.append(base, rangeOf(102, 104, tokens))).rejects.toThrow(Killed);
      const next = createMongodbIndex(store, COLLECTIONS);
      await appendAll(next, tokens, [107, 109]);
      await expect(zombie.append(base, rangeOf(102, 108, tokens))).rejects.toThrow('advanced the index');
      await expectWhole(next, 30);
    });

    it('completes a look whose entry arrives late, after ranges without tokens', async () => {
      const [unnamed, ...named] = tokensUpTo(9);
      const store = await openStore();
      const next = createMongodbIndex(store, COLLECTIONS);
      const base = await next.append(null, rangeOf(100, 110, [{ ...unnamed!, name: '' }, ...named]));
      // Paused before its entry is in the log: others continue, and the entry takes the next free number.
      const late = fated(store, async (n, write) => {
        if (n === 1) await next.append(base, rangeOf(111, 120, []));
        return write();
      });
      const { address, name, symbol, decimals } = unnamed!;
      const look = { address, names: { name, symbol, decimals }, lookAt: null };
      await expect(createMongodbIndex(late, COLLECTIONS).noteLooks(base, [look])).rejects.toThrow(
        CheckpointConflict,
      );
      const resumed = await next.resume();
      expect(resumed).toEqual({
        ...base,
        number: 120,
        hash: rangeOf(0, 120, []).hash,
        version: base.version + 1,
      });
      expect(await next.find(address)).toEqual(listed(unnamed!));
      const token = tokenOf(60, { blockHeight: 121 });
      expect(await next.append(resumed, rangeOf(121, 121, [token]))).toMatchObject({
        number: 121,
        count: 10,
      });
    });

    it('stops when tokens arrive late in blocks that were found to have none', async () => {
      const store = await openStore();
      const next = createMongodbIndex(store, COLLECTIONS);
      const base = await appendAll(next, tokensUpTo(9), [110]);
      const late = fated(store, async (n, write) => {
        if (n === 1) await next.append(base, rangeOf(111, 120, []));
        return write();
      });
      const range = rangeOf(111, 115, [tokenOf(60, { blockHeight: 113 })]);
      await expect(createMongodbIndex(late, COLLECTIONS).append(base, range)).rejects.toThrow(
        CheckpointConflict,
      );
      await expect(next.resume()).rejects.toThrow('entry 2 of the token log does not follow block 120');
    });

    it('keeps no size that a failed attempt reads late', async () => {
      const store = await openStore();
      const other = new Projection(inCausalOrder(store), COLLECTIONS);
      const entries = [0, 1, 2, 3].map((i): LogDocument => {
        const to = {
          from: 100,
          number: 100 + i,
          hash: id(`block ${100 + i}`),
          count: i + 1,
          version: i + 1,
          words: i + 1,
        };
        const token = { ...tokenOf(0), address: addressOf(i), blockHeight: 100 + i };
        return { _id: i + 1, to, first: i, tokens: [token], looks: [] };
      });
      await other.project(entries[0]!);
      // The first read finds the lists that exist; of the sizes that follow, the first is late and the second fails.
      const late = Promise.withResolvers<void>();
      const reads: Promise<unknown>[] = [];
      let calls = 0;
      const run = inCausalOrder(store);
      const troubled = new Projection(async (work) => {
        const call = ++calls;
        if (call === 3) throw new Killed();
        const read = call === 2 ? late.promise.then(() => run(work)) : run(work);
        reads.push(read);
        return read;
      }, COLLECTIONS);
      await expect(troubled.project(entries[1]!)).rejects.toThrow(Killed);
      await other.project(entries[1]!);
      await troubled.project(entries[2]!);
      late.resolve();
      await Promise.all(reads);
      await troubled.project(entries[3]!);
      const positions = await store.db.collection(COLLECTIONS.names.positions).find().toArray();
      const lists = new Set(listsOf(tokenOf(0)));
      expect(positions).toHaveLength(lists.size * entries.length);
    });

    it.each([
      ['position', COLLECTIONS.names.positions, { _id: positionId('erc20\t', 0), ordinal: 99, entry: 1 }],
      ['token', COLLECTIONS.names.tokens, { _id: '0xother', ordinal: 0, entry: 1 }],
    ])('stops at a %s that something else occupies', async (_what, collection, document) => {
      const store = await openStore();
      await store.run((db) => db.collection<{ _id: string }>(collection).insertOne(document));
      const index = createMongodbIndex(store, COLLECTIONS);
      await expect(appendAll(index, tokensUpTo(3), [103])).rejects.toThrow('remove the index');
      expect(await index.checkpoint()).toBeNull();
    });

    it('shows a reader as many tokens as it counts, even while it grows', async () => {
      const tokens = tokensUpTo(30);
      const store = await openStore();
      const index = createMongodbIndex(store, COLLECTIONS);
      await appendAll(index, tokens, [103]);
      // Queries sent together with the checkpoint's come before the growth.
      const growing = fated(
        store,
        async (_, readCheckpoint) => {
          await appendAll(index, tokens, [109]);
          return readCheckpoint();
        },
        new Set(['findOne']),
      );
      const page = await createMongodbIndex(growing, COLLECTIONS).page({}, 0, 100);
      expect(page).toEqual({ total: 30, tokens: tokens.map(listed) });
    });

    // The native test server has no `explain` and no real indexes.
    const onlyOnMongodb = mongodb.source === 'native' ? it.skip : it;
    onlyOnMongodb('answers every query of the list from one index, without sorting', async () => {
      const store = await openStore();
      await appendAll(createMongodbIndex(store, COLLECTIONS), tokensUpTo(60), [150]);
      const queries = [
        [COLLECTIONS.names.tokens, LIST_QUERIES.all(10, 20)],
        [COLLECTIONS.names.tokens, LIST_QUERIES.ordinals([1, 5, 9])],
        [COLLECTIONS.names.positions, LIST_QUERIES.listed('erc20\t', 3, 9)],
        [COLLECTIONS.names.positions, LIST_QUERIES.last('\tuni', 1)],
      ] as const;
      for (const [collection, { filter, sort }] of queries) {
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

    it('queries the list by equality or a range on one index only', () => {
      const indexed = new Set(['_id', 'ordinal']);
      const asked = [
        LIST_QUERIES.all(0, 9),
        LIST_QUERIES.ordinals([1]),
        LIST_QUERIES.listed('l', 0, 9),
        LIST_QUERIES.last('l', 1),
      ];
      for (const { filter, sort } of asked) {
        const [field] = Object.keys(filter);
        expect(indexed.has(field!)).toBe(true);
        expect(Object.keys(sort)).toEqual([field]);
      }
    });
  },
);
