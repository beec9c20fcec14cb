/** Giving up a lane, and counting what comes of it later, in MongoDB: what may happen between any two of their questions. */
import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Collection, Db } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLifecycle } from '../../lifecycle.ts';
import { createLogger } from '../../logger.ts';
import { openMongodb, type MongoStore } from '../../stores/mongodb.ts';
import { byRecord } from '../fold.ts';
import type { UsageStore } from '../ports.ts';
import { REFUSED } from '../refusals.ts';
import { USAGE_INDEXES } from './mongodb/documents.ts';
import { createMongodbUsage } from './mongodb/store.ts';

const MONTH = '2026-11';
const PROJECTS = ['ada', 'bob', 'cleo'];

/** Another process on the same store; `ask` makes each of its questions, or does something else. */
function anotherProcess(
  store: MongoStore,
  ask: (method: string, question: () => unknown) => unknown,
): UsageStore {
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]): unknown => {
          const question = (): unknown => method.apply(target, args) as unknown;
          return name === 'collection' ? watched(question() as Collection) : ask(String(name), question);
        };
      },
    });
  return createMongodbUsage({ ...store, run: (work) => store.run((db) => work(watched<Db>(db))) });
}

/** One that is killed when it asks once more than so often. */
function killedAfter(store: MongoStore, questions: number): UsageStore {
  let asked = 0;
  return anotherProcess(store, (_, question) => {
    if (++asked > questions) throw new Error('killed');
    return question();
  });
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

    it.each([
      ['takes most of it', { limit: 10, units: 8, left: 2 }],
      ['takes some under a lower limit', { limit: 5, units: 5, left: 0 }],
    ])(
      'is counted no further than there is room when another %s in between',
      async (_, { limit, units, left }) => {
        const [lane, other, project] = [randomUUID(), randomUUID(), randomUUID()];
        const take = (by: string, atMost: number, atLeast: number) =>
          usage.take({ project, month: MONTH, lane: by, limit: atMost, atLeast });
        await usage.renewLane(lane);
        await take(lane, 10, 5);
        await sleep(5);
        await usage.giveUpLane(lane, 1);
        let tries = 0;
        const late = anotherProcess(store, (method, question) => {
          const isFirst = method === 'bulkWrite' && ++tries === 1;
          return isFirst ? take(other, limit, units).then(question) : question();
        });
        const entry = { project, day: `${MONTH}-21`, endpoint: 'x', requests: 1, orders: 0 };
        const events = [0, 1, 2].map((sequence) => ({ lane, sequence, entries: [entry] }));
        const refused = await late.apply(byRecord(events));
        expect(refused).toEqual([expect.objectContaining({ lane, after: left - 1, reason: REFUSED.noRoom })]);
        expect(await usage.read(project, MONTH)).toMatchObject({ requests: left, taken: units + left });
      },
    );
  },
);
