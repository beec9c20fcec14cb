import { expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedSecret, SECRETS_FILE } from './secrets-file.ts';

it('is that of a process which was faster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-secret-'));
  // The draft of this process is written to the place of the secret.
  symlinkSync(SECRETS_FILE, join(folder, `${SECRETS_FILE}.${process.pid}`));
  expect(embeddedSecret(folder)).toBe(readFileSync(join(folder, SECRETS_FILE), 'utf8'));
  expect(readdirSync(folder)).toEqual([SECRETS_FILE]);
  rmSync(folder, { recursive: true });
});
