import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { afterAll, describe } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import type { Place } from '../testing/run-dashboard.ts';
import { accountContract } from './account.contract.ts';
import { atOnceContract } from './at-once.contract.ts';
import { attacksContract } from './attacks.contract.ts';
import { guessingContract } from './guessing.contract.ts';
import { providerAttacksContract } from './provider-attacks.contract.ts';
import { storeAwayContract } from './store-away.contract.ts';
import { walletAttacksContract } from './wallet-attacks.contract.ts';
import { waysInContract } from './ways-in.contract.ts';

await describeOnServers('accounts on MongoDB', { env: process.env, shared: ['mongodb'] }, ({ mongodb }) => {
  const databases: string[] = [];
  afterAll(async () => {
    const client = await new MongoClient(mongodb.address).connect();
    await Promise.all(databases.map((name) => client.db(name).dropDatabase()));
    await client.close();
  });

  /** A new database for each part: what one has counted is not the others'. */
  const place = (): (() => Place) => {
    const database = `accounts-${randomUUID()}`;
    databases.push(database);
    return () => ({ dataDir: '/nowhere', mongodbUrl: withDatabase(mongodb.address, database) });
  };
  describe('the ways in', () => waysInContract(place()));
  describe('an account', () => accountContract(place()));
  describe('attacks', () => attacksContract(place()));
  describe('attacks by way of a provider', () => providerAttacksContract(place()));
  describe('attacks by way of a wallet', () => walletAttacksContract(place()));
  describe('guessing', () => guessingContract(place()));
  describe('many at once', () => atOnceContract(place()));
  describe('while MongoDB is away', () => storeAwayContract(mongodb.address, place()));
});
