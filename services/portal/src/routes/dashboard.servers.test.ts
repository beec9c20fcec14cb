import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { afterAll } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { describeDashboard } from './dashboard.contract.ts';

await describeOnServers(
  'the dashboard on MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const databases: string[] = [];
    afterAll(async () => {
      const client = await new MongoClient(mongodb.address).connect();
      await Promise.all(databases.map((name) => client.db(name).dropDatabase()));
      await client.close();
    });

    describeDashboard('MongoDB', async () => {
      const database = `portal-${randomUUID()}`;
      databases.push(database);
      return { dataDir: '/nowhere', mongodbUrl: withDatabase(mongodb.address, database) };
    });
  },
);
