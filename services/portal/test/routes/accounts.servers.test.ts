import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, describe } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import type { Place } from '../support/run-dashboard.ts';
import { describeAccounts } from './accounts.contract.ts';
import { describeUnavailableStore } from './unavailable-store.contract.ts';

await describeOnServers('accounts on MongoDB', { env: process.env, shared: ['mongodb'] }, ({ mongodb }) => {
  const databases: string[] = [];
  afterAll(async () => {
    const client = await new MongoClient(mongodb.address).connect();
    await Promise.all(databases.map((name) => client.db(name).dropDatabase()));
    await client.close();
  });

  /** A new database for each part, so that attempts are counted separately. */
  const place = (): (() => Place) => {
    const database = `accounts-${randomUUID()}`;
    databases.push(database);
    return () => ({ dataDir: '/nowhere', mongodbUrl: withDatabase(mongodb.address, database) });
  };
  describeAccounts(place);
  describe('while MongoDB is unavailable', () => describeUnavailableStore(mongodb.address, place()));
});
