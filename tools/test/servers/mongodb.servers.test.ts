import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { type MongodbServer, startMongodb } from '../../servers/mongodb.ts';
import { describeOnServers } from '../../servers/suite.ts';

async function withClient<T>(server: MongodbServer, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(server.url, { serverSelectionTimeoutMS: 5_000 });
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
    it("writes with majority and reads by MongoDB's own driver", async () => {
      const server = await startMongodb();
      try {
        await insert(server, 'here');
        expect(await values(server)).toEqual(['here']);
        await server.pause();
        const asked = values(server);
        await sleep(500);
        server.resume();
        expect(await asked).toEqual(['here']);
      } finally {
        await server.stop();
      }
    });

    it('forgets everything with its process by default', async () => {
      const server = await startMongodb();
      try {
        await insert(server, 'gone');
        await server.restart();
        expect(await values(server)).toEqual([]);
      } finally {
        await server.stop();
      }
    });

    it('keeps a file over a restart if asked to', async () => {
      const server = await startMongodb({ storage: 'file' });
      try {
        await insert(server, 'kept');
        await server.restart();
        expect(await values(server)).toEqual(['kept']);
      } finally {
        await server.stop();
      }
    });

    it('counts exactly under concurrent increments', async () => {
      const server = await startMongodb();
      try {
        const count = await withClient(server, async (client) => {
          const counters = client.db('test').collection<{ _id: string; n: number }>('counters');
          await counters.insertOne({ _id: 'c', n: 0 });
          const once = (): Promise<unknown> => counters.updateOne({ _id: 'c' }, { $inc: { n: 1 } });
          await Promise.all(Array.from({ length: 200 }, once));
          return (await counters.findOne({ _id: 'c' }))?.n;
        });
        expect(count).toBe(200);
      } finally {
        await server.stop();
      }
    });
  },
);
