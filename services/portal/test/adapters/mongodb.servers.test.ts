import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { randomUUID } from 'node:crypto';
import { describeAccountStores } from './account-stores.contract.ts';
import { openAccountStores } from '../../src/adapters/open-accounts.ts';

await describeOnServers('accounts in MongoDB', { env: process.env, shared: ['mongodb'] }, ({ mongodb }) => {
  describeAccountStores(async () => {
    const mongodbUrl = withDatabase(mongodb.address, `accounts-${randomUUID()}`);
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const settings = { dataDir: '', mongodbUrl };
    const [one, other] = await Promise.all([
      openAccountStores(settings, lifecycle),
      openAccountStores(settings, lifecycle),
    ]);
    const { db } = await openMongodb({ url: mongodbUrl }, [], lifecycle);
    return {
      stores: [one, other],
      close: async () => {
        await db.dropDatabase();
        await lifecycle.shutdown('end of test');
      },
    };
  });
});
