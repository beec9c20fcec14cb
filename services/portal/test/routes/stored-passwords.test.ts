import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openAccountStores } from '../../src/adapters/open-accounts.ts';
import { loginOfEmail } from '../../src/domain/account.ts';
import { signUp } from '../support/people.ts';
import { runPortal } from '../support/run-portal.ts';

it('a portal stores passwords hashed at the recommended cost', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-passwords-'));
  const portal = await runPortal({ dataDir }, { slowPasswords: true });
  const { email } = await signUp(portal);
  await portal.stop();
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const stores = await openAccountStores({ dataDir }, lifecycle);
  const account = await stores.accounts.findByLogin(loginOfEmail(email));
  expect(account?.passwordHash).toMatch(/^argon2id\$19456\$2\$/);
  await lifecycle.shutdown('end of test');
  rmSync(dataDir, { recursive: true });
});
