import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Commit, faultsOf } from '../commits/rules.ts';

const GOOD: Commit = {
  subject: 'stores: treat a full disk as unavailable',
  body: "SQLite's SQLITE_FULL was a 500 for known keys.",
  isMerge: false,
  changedLines: 46,
};
const FOLDERS = ['stores', 'gateway'];
const check = (change: Partial<Commit>): string[] => faultsOf({ ...GOOD, ...change }, FOLDERS);

describe('the rules of a commit', () => {
  it('accept a subject with its area, and a body that says why', () => {
    expect(check({})).toEqual([]);
    expect(check({ subject: 'stores, docs: treat a full disk as unavailable' })).toEqual([]);
  });

  it.each<readonly [string, Partial<Commit>, string]>([
    ['a subject of 73 characters', { subject: `stores: ${'x'.repeat(65)}` }, 'has 73 characters'],
    ['a subject without an area', { subject: 'treat a full disk' }, 'no area'],
    ['an area that is no folder', { subject: 'words: treat a full disk' }, 'words: no area'],
    ['a fix-up of formatting', { subject: 'stores: format' }, 'formatting belongs'],
    ['an empty body', { body: '\n' }, 'says why'],
    ['a merge that names nothing', { body: '', isMerge: true }, 'lists what it brings'],
    [
      'a merge that names its conflicts alone',
      { body: '# Conflicts:\n#\tREADME.md', isMerge: true },
      'lists what',
    ],
    ['a line of 73 columns', { body: 'x'.repeat(73) }, 'wider than 72'],
    ['1,501 changed lines', { changedLines: 1_501 }, '1501 changed lines'],
  ])('refuse %s', (_name, change, fault) => {
    expect(check(change)).toEqual([expect.stringContaining(fault)]);
  });

  it('accept what may be long: 72 columns, an address, code, a mechanical change', () => {
    expect(check({ subject: `stores: ${'x'.repeat(64)}`, body: 'x'.repeat(72) })).toEqual([]);
    expect(check({ body: `see https://example.org/${'x'.repeat(80)}\n\n    ${'x'.repeat(80)}` })).toEqual([]);
    expect(check({ body: 'Why.\n\nMechanical: git mv', changedLines: 9_000 })).toEqual([]);
    expect(check({ changedLines: 1_500 })).toEqual([]);
  });
});

describe('the hook that sees a message as it is written', () => {
  const ROOT = resolve(import.meta.dirname, '../..');
  const hook = (message: string): { status: number | null; stderr: string } => {
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-message-'));
    const file = join(folder, 'COMMIT_EDITMSG');
    writeFileSync(file, message);
    const run = spawnSync(join(ROOT, '.githooks/commit-msg'), [file], { cwd: ROOT, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    return run;
  };

  it('accepts one that follows the rules, whatever the editor shows below it', () => {
    const message = `${GOOD.subject}\n\n${GOOD.body}\n# ${'x'.repeat(80)}\n`;
    expect(hook(message)).toMatchObject({ status: 0, stderr: '' });
  });

  it('refuses one that does not, and names its fault', () => {
    const { status, stderr } = hook(`${GOOD.subject}\n`);
    expect(status).toBe(1);
    expect(stderr).toContain('the body is empty; it says why');
  });
});
