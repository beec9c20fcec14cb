import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureFolder } from './ensure-folder.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ensured-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('makes a folder with those that it is in, for its owner alone, and leaves one that is there', () => {
  for (let n = 0; n < 2; n++) ensureFolder(join(folder, 'a/b'));
  expect(['a', 'a/b'].map((path) => statSync(join(folder, path)).mode & 0o777)).toEqual([0o700, 0o700]);
});

// No folder can be made there; Node alone tries forever, which no timer of its own process ends.
it.each([
  ['shared/stores/src/sqlite.ts', "openSqlite('/proc/a/b', [])"],
  ['standalone/src/secrets-file.ts', "embeddedSecret('/proc/a')"],
  ['services/holders/src/open-index.ts', "openHolderIndex({ name: 'x' }, { dataDir: '/proc/a' })"],
  ['services/gateway/src/usage/spool/producer-folder.ts', "makeFolder('/proc/a', 'x')"],
  ['clients/cli/src/stored-login.ts', "writeLogin('/proc/a/b', {})"],
])('%s says where it can make none', (module, call) => {
  const code = `const made = await import('./${module}'); await made.${call};`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    ...{ cwd: ROOT, encoding: 'utf8', timeout: 600_000, killSignal: 'SIGKILL' },
  });
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining("ENOENT: no such file or directory, mkdir '/proc/a'"),
  ]);
});
