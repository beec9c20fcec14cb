import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { createLifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { openMongodb } from '@hindsight/shared/stores/mongodb.ts';
import { randomUUID } from 'node:crypto';
import { accountStoresContract } from './account-stores.contract.ts';
import { openAccountStores } from './open-accounts.ts';

await describeOnServers('accounts in MongoDB', { env: process.env, shared: ['mongodb'] }, ({ mongodb }) => {
  accountStoresContract(async () => {
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
