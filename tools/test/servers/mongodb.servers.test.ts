import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { type MongodbServer, startMongodb } from '../../servers/mongodb.ts';
import { describeOnServers } from '../../servers/suite.ts';

const KILLS = 3;

interface Whole {
  readonly _id: string;
  readonly first: number;
  readonly middle: readonly number[];
  readonly last: number;
}

async function withClient<T>(server: MongodbServer, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(server.url, { serverSelectionTimeoutMS: 60_000 });
  try {
    return await work(await client.connect());
  } finally {
    await client.close();
  }
}

const insert = (server: MongodbServer, value: string): Promise<unknown> =>
  withClient(server, (client) => {
    const options = { writeConcern: { w: 'majority', j: true } } as const;
    return client.db('test').collection('things', options).insertOne({ value });
  });

const values = (server: MongodbServer): Promise<unknown[]> =>
  withClient(server, async (client) => {
    const found = await client.db('test').collection('things').find().toArray();
    return found.map((thing) => thing.value as unknown);
  });

await describeOnServers(
  "MongoDB's protocol, started natively",
  { env: process.env, own: ['mongodb'] },
  () => {
    describe('in memory', () => {
      let server: MongodbServer;
      beforeAll(async () => {
        server = await startMongodb();
      });
      afterAll(() => server?.stop());

      it("writes with majority and reads by MongoDB's own driver", async () => {
        await insert(server, 'here');
        expect(await values(server)).toEqual(['here']);
        await server.pause();
        const asked = values(server);
        await sleep(500);
        server.resume();
        expect(await asked).toEqual(['here']);
      });

      it('counts exactly under concurrent increments', async () => {
        const count = await withClient(server, async (client) => {
          const counters = client.db('test').collection<{ _id: string; n: number }>('counters');
          await counters.insertOne({ _id: 'c', n: 0 });
          const once = (): Promise<unknown> => counters.updateOne({ _id: 'c' }, { $inc: { n: 1 } });
          await Promise.all(Array.from({ length: 200 }, once));
          return (await counters.findOne({ _id: 'c' }))?.n;
        });
        expect(count).toBe(200);
      });

      it('gives whole documents, also while they are changed', async () => {
        await withClient(server, async (client) => {
          const things = client.db('test').collection<Whole>('wholes');
          const at = (n: number): Omit<Whole, '_id'> => ({ first: n, middle: Array(5_000).fill(n), last: n });
          await things.insertOne({ _id: 'w', ...at(0) });
          let writing = true;
          const torn: Whole[] = [];
          const readers = Array.from({ length: 2 }, async () => {
            while (writing) {
              const found = (await things.findOne({ _id: 'w' }))!;
              if (found.first !== found.last || found.middle.some((n) => n !== found.first)) torn.push(found);
            }
          });
          for (let n = 1; n <= 100; n++) await things.updateOne({ _id: 'w' }, { $set: at(n) });
          writing = false;
          await Promise.all(readers);
          expect(torn.map(({ first, last }) => [first, last])).toEqual([]);
        });
      });

      it('forgets everything with its process', async () => {
        await insert(server, 'gone');
        await server.restart();
        expect(await values(server)).toEqual([]);
      });
    });

    it('has each write that it acknowledged in its file, over kills amid writes and over a restart', async () => {
      const server = await startMongodb({ storage: 'file' });
      const acknowledged: string[] = [];
      const writeUntilKilled = (writer: number): Promise<void> =>
        withClient(server, async (client) => {
          const things = client.db('test').collection('things');
          for (let n = 0; ; n++) {
            const value = `${writer} ${n}`;
            await things.insertOne({ value });
            acknowledged.push(value);
          }
        }).catch(() => undefined);
      try {
        for (let kill = 1; kill <= KILLS; kill++) {
          const writers = Array.from({ length: 4 }, (_, at) => writeUntilKilled(10 * kill + at));
          const goal = acknowledged.length + 50;
          while (acknowledged.length < goal) await sleep(5);
          await server.kill();
          await Promise.all(writers);
          await server.restart();
          expect(await values(server)).toEqual(expect.arrayContaining(acknowledged));
        }
        await insert(server, 'kept');
        await server.restart();
        expect(await values(server)).toEqual(expect.arrayContaining([...acknowledged, 'kept']));
      } finally {
        await server.stop();
      }
    });
  },
);
