import { describe } from '@jest/globals';
import { createLifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountStoresContract } from './account-stores.contract.ts';
import { openAccountStores } from './open-accounts.ts';

describe('accounts in SQLite', () => {
  accountStoresContract(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-accounts-'));
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const [one, other] = await Promise.all([
      openAccountStores({ dataDir }, lifecycle),
      openAccountStores({ dataDir }, lifecycle),
    ]);
    return {
      stores: [one, other],
      close: async () => {
        await lifecycle.shutdown('end of test');
        rmSync(dataDir, { recursive: true });
      },
    };
  });
});
