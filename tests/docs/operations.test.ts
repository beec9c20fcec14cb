/** Commands of the pages that no other suite types. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { PAGES, read } from './pages.ts';

const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^( *)```(?:sh|bash)\n([\s\S]*?)^\1```$/gm)].map(([, , code = '']) => code);

it('no command has a secret among its arguments, which every user of the machine can read', () => {
  const found = PAGES.flatMap(({ path, text }) => blocksOf(text).map((code) => ({ path, code }))).filter(
    ({ code }) => /\s(?:-p "?\$|--password[= ]|--from-literal=)/.test(code),
  );
  expect(found).toEqual([]);
});

it('a stack’s settings reach the administration as they are, by the command of docs/operations/install.md', () => {
  const [line = ''] =
    blocksOf(read('docs/operations/install.md'))
      .find((code) => code.includes('stack.json'))
      ?.split('\n') ?? [];
  const password = 'a "quoted" $HOME, `id`, \\ and it’s \'done\'';
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-stack-file-'));
  try {
    mkdirSync(join(folder, '.stack'));
    writeFileSync(
      join(folder, '.stack/stack.json'),
      JSON.stringify({ env: { KAFKA_SASL_PASSWORD: password } }),
    );
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-euc', `${line}\nprintf %s "$KAFKA_SASL_PASSWORD"`],
      options,
    );
    expect([stdout, stderr]).toEqual([password, '']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
