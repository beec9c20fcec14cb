/** Every block of code names its language, and parses in it, except those that guides.test.ts runs. */
import { spawnSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { parseEnv } from 'node:util';
import { Script } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { PAGES, read, TREE } from './pages.ts';

const BLOCK = /^( *)```(\S*)\n([\s\S]*?)^\1```$/gm;
/** Languages of docs/guides that are run there. */
const RUN = ['sh', 'ts', 'js', 'python', 'go'];

/** Parsers by language. @throws for text in another language */
const PARSERS: Readonly<Record<string, (code: string) => void>> = {
  json: (code) => void JSON.parse(code),
  json5: parseLiteral,
  jsonc: parseLiteral,
  yaml: (code) => void parse(code),
  env: (code) => {
    const names = [...code.matchAll(/^(?!#)([^=\n]+)=?/gm)].map(([, name]) => name);
    expect(Object.keys(parseEnv(code)).sort()).toEqual(names.sort());
  },
  ts: (code) => void stripTypeScriptTypes(code),
  sh: parseShell,
  bash: parseShell,
  text: (code) => expect(code).not.toMatch(/^ *(?:curl|docker|hindsight|kubectl|node|np[mx]) /m),
};

function parseLiteral(code: string): void {
  new Script(`(${code})`);
}

function parseShell(code: string): void {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
}

const blocks = PAGES.flatMap(({ path, text }) =>
  [...text.matchAll(BLOCK)].map(([, indent = '', language = '', code = '']) => ({
    path,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  })),
);
const isRun = ({ path, language }: { path: string; language: string }): boolean =>
  path.startsWith('docs/guides/') && RUN.includes(language);

describe('the blocks of code', () => {
  it('are all found', () => {
    const fences = PAGES.flatMap(({ text }) => [...text.matchAll(/^ *```/gm)]);
    expect(blocks).toHaveLength(fences.length / 2);
  });

  it.each(PAGES.map(({ path }) => path).filter((path) => blocks.some((block) => block.path === path)))(
    'of %s are written in the language that they name',
    (path) => {
      const own = blocks.filter((block) => block.path === path && !isRun(block));
      expect(own.map(({ language }) => language).filter((name) => !(name in PARSERS))).toEqual([]);
      for (const { language, code } of own) PARSERS[language]!(code);
    },
  );

  it('name commands of the command line that exist', () => {
    const commands = TREE.flatMap((path) => /^clients\/cli\/src\/commands\/(\w+)\.ts$/.exec(path)?.[1] ?? []);
    const named = blocks.flatMap(({ code }) => [...code.matchAll(/(?:^|npx |-- )hindsight (\w+)/gm)]);
    expect(named.length).toBeGreaterThan(0);
    expect(named.map(([, name = '']) => name).filter((name) => !commands.includes(name))).toEqual([]);
  });

  it('name commands of the administration that exist', () => {
    const source = TREE.filter((path) => path.startsWith('standalone/src/admin/'))
      .filter((path) => path.endsWith('.ts'))
      .map(read)
      .join('\n');
    // A group by its name alone; a command by its name and what it does.
    const isThere = (name: string): boolean =>
      new RegExp(`ommand\\('${name}\\b|'${name}',\\s*'`).test(source);
    const named = blocks.flatMap(({ code }) => [
      ...code.matchAll(/\badmin (?:-- )?([a-z][a-z-]*) ([a-z][a-z-]*)/g),
    ]);
    expect(named.length).toBeGreaterThan(0);
    expect(named.flatMap(([, ...names]) => names).filter((name) => !isThere(name))).toEqual([]);
  });
});
