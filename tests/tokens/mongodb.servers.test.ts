import { afterAll, beforeAll } from '@jest/globals';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { TokenChain } from '../support/token-chain.ts';
import { describeHostileNodes, type Storage } from './hostile.contract.ts';
import { itSurvivesKills } from './kill.contract.ts';
import { describeTokenList } from './list.contract.ts';

await describeOnServers(
  'Token index in MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    let chain: TokenChain;
    const databases: string[] = [];
    const fresh = async (): Promise<Storage> => {
      const database = `tokens-${randomUUID()}`;
      databases.push(database);
      return { dataDir: '/nowhere', mongodbUrl: withDatabase(mongodb.address, database) };
    };
    beforeAll(async () => {
      chain = await TokenChain.startWithEveryKind();
    });
    afterAll(async () => {
      await chain.stop();
      const client = new MongoClient(mongodb.address, { serverSelectionTimeoutMS: 5_000 });
      try {
        await Promise.all(databases.map((name) => client.db(name).dropDatabase()));
      } finally {
        await client.close();
      }
    });

    describeTokenList(fresh);
    describeHostileNodes(() => chain, fresh, 'store');
    itSurvivesKills(() => chain, fresh, 5);
  },
);
