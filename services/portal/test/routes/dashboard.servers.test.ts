import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import type { Place } from '../support/run-dashboard.ts';
import { describeDashboardAttacks } from './dashboard-attacks.contract.ts';
import { describeDashboard } from './dashboard.contract.ts';

const needs = { env: process.env, shared: ['mongodb'] } as const;

await describeOnServers('the dashboard on MongoDB', needs, ({ mongodb }) => {
  const databases: string[] = [];
  afterAll(async () => {
    const client = await new MongoClient(mongodb.address).connect();
    await Promise.all(databases.map((name) => client.db(name).dropDatabase()));
    await client.close();
  });

  const fresh = async (): Promise<Place> => {
    const database = `portal-${randomUUID()}`;
    databases.push(database);
    return { dataDir: '/nowhere', mongodbUrl: withDatabase(mongodb.address, database) };
  };
  describeDashboard('MongoDB', fresh);
  describeDashboardAttacks('MongoDB', fresh);
});
