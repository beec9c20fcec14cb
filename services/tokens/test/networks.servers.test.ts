import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { openTokenIndex } from '../src/service.ts';
import { appendAll, tokensUpTo } from './adapters/index.fixtures.contract.ts';
import { describeTokenNetworks } from './networks.contract.ts';

await describeOnServers(
  'token lists in MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const newUrl = (): string => withDatabase(mongodb.address, `tokens-${randomUUID()}`);
    const silent = () => createLifecycle(createLogger({ name: 'test', level: 'silent' }));

    async function drop(url: string): Promise<void> {
      const lifecycle = silent();
      const { db } = await openMongodb({ url }, [], lifecycle);
      await db.dropDatabase();
      await lifecycle.shutdown('dropped');
    }

    describeTokenNetworks(async () => {
      const mongodbUrl = newUrl();
      return { settings: { dataDir: 'unused', mongodbUrl }, close: () => drop(mongodbUrl) };
    });

    it('that the first release has stored, under its names and without a mark, are mainnet’s', async () => {
      const url = newUrl();
      const lifecycle = silent();
      const settings = { dataDir: 'unused', mongodbUrl: url };
      await appendAll(await openTokenIndex(ETH_MAINNET, settings, lifecycle), tokensUpTo(9), [110]);
      const { db } = await openMongodb({ url }, [], lifecycle);
      await db.collection<{ _id: string }>('token_state').deleteOne({ _id: 'network' });
      const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
      expect(names.toSorted()).toEqual(expect.arrayContaining(['token_log', 'token_places', 'token_state']));
      expect(names.filter((name) => name.includes('.'))).toEqual([]);
      const index = await openTokenIndex(ETH_MAINNET, settings, lifecycle);
      expect(await index.page({}, 0, 1)).toMatchObject({ total: 9 });
      await lifecycle.shutdown('the test is over');
      await drop(url);
    });
  },
);
