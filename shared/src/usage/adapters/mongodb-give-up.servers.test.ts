/** Whoever gives up a lane may be killed between any two questions to MongoDB: the next one does the rest. */
import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Collection, Db } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLifecycle } from '../../lifecycle.ts';
import { createLogger } from '../../logger.ts';
import { openMongodb, type MongoStore } from '../../stores/mongodb.ts';
import type { UsageStore } from '../ports.ts';
import { USAGE_INDEXES } from './mongodb/documents.ts';
import { createMongodbUsage } from './mongodb/store.ts';

const MONTH = '2026-11';
const PROJECTS = ['ada', 'bob', 'cleo'];

/** A process that is killed when it asks once more than so often. */
function killedAfter(store: MongoStore, questions: number): UsageStore {
  let asked = 0;
  const alive = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]): unknown => {
          if (name === 'collection') return alive(method.apply(target, args) as Collection);
          if (++asked > questions) throw new Error('killed');
          return method.apply(target, args) as unknown;
        };
      },
    });
  return createMongodbUsage({ ...store, run: (work) => store.run((db) => work(alive<Db>(db))) });
}

await describeOnServers(
  'giving up a lane in MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    let store: MongoStore;
    let usage: UsageStore;

    beforeAll(async () => {
      const url = withDatabase(mongodb.address, `usage-give-up-${randomUUID()}`);
      store = await openMongodb({ url }, USAGE_INDEXES, lifecycle);
      usage = createMongodbUsage(store);
    });
    afterAll(async () => {
      await store?.db.dropDatabase();
      await lifecycle.shutdown('the suite is over');
    });

    const taken = () =>
      Promise.all(PROJECTS.map(async (project) => (await usage.read(project, MONTH)).taken));
    const isListed = async (lane: string) => (await usage.openLanes(100)).some((one) => one.lane === lane);

    it('is finished by the next one, wherever the first was killed', async () => {
      let [questions, killed] = [0, true];
      for (; killed; questions++) {
        const lane = randomUUID();
        await usage.renewLane(lane);
        for (const project of PROJECTS)
          await usage.take({ project, month: MONTH, lane, limit: 1_000, atLeast: 7 });
        await sleep(5);
        killed = await killedAfter(store, questions)
          .giveUpLane(lane, 1)
          .then(
            () => false,
            () => true,
          );
        // What is not finished is seen to be open.
        if (await isListed(lane)) await usage.giveUpLane(lane, 1);
        expect({ questions, taken: await taken(), listed: await isListed(lane) }).toEqual({
          ...{ questions, taken: [0, 0, 0], listed: false },
        });
        expect(await usage.renewLane(lane)).toBe(false);
        expect(await usage.giveUpLane(lane, 1)).toEqual({ outcome: 'given up', records: 0, units: 0 });
      }
      // Time, the lane, a page of records, each of these, the next page, what is left, the lane.
      expect(questions).toBeGreaterThan(8);
    });

    it('is finished although its gateway was heard of in between', async () => {
      const lane = randomUUID();
      await usage.renewLane(lane);
      await usage.take({ project: 'ada', month: MONTH, lane, limit: 1_000, atLeast: 7 });
      await sleep(5);
      await expect(killedAfter(store, 2).giveUpLane(lane, 1)).rejects.toThrow('killed');
      await usage.closeLane(lane);
      expect(await isListed(lane)).toBe(true);
      expect(await usage.giveUpLane(lane, 1)).toEqual({ outcome: 'given up', records: 0, units: 0 });
      expect([await taken(), await isListed(lane)]).toEqual([[0, 0, 0], false]);
    });
  },
);
