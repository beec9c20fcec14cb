import { describe } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeAccountStores } from './account-stores.contract.ts';
import { openAccountStores } from '../../src/adapters/open-accounts.ts';

describe('accounts in SQLite', () => {
  describeAccountStores(async () => {
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
