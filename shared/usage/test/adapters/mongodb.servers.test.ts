import { afterAll } from '@jest/globals';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { describeUsage } from '../usage.contract.ts';

await describeOnServers('usage in MongoDB', { env: process.env, shared: ['mongodb'] }, ({ mongodb }) => {
  const databases: string[] = [];
  afterAll(async () => {
    const client = new MongoClient(mongodb.address, { serverSelectionTimeoutMS: 30_000 });
    await Promise.all(databases.map((name) => client.db(name).dropDatabase()));
    await client.close();
  });
  describeUsage('MongoDB', {
    fresh: async () => {
      const database = `usage-${randomUUID()}`;
      databases.push(database);
      return { dataDir: '/nowhere', mongodbUrl: withDatabase(mongodb.address, database) };
    },
  });
});
