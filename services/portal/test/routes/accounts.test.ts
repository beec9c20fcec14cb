import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from '@jest/globals';
import { describeAccounts } from './accounts.contract.ts';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A new folder for each part, so that attempts are counted separately. */
function place(): () => { dataDir: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-portal-'));
  folders.push(dataDir);
  return () => ({ dataDir });
}

describe('accounts on SQLite', () => {
  describeAccounts(place);
});
