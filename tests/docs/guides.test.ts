/** The guides' commands work as they stand, and give the answers that the guides show. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { install, pack } from '../clients/packed.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLE_URL = 'http://127.0.0.1:8080';
const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;
/** What a machine may lack, a broker or a library: such an example is checked for its syntax. */
const LACKED = lacks('httpx') ? /kafka|import httpx/i : /kafka/i;

/** Whether this machine's Python has no such package. */
function lacks(library: string): boolean {
  return spawnSync('python3', ['-c', `import ${library}`]).status !== 0;
}

/** How a language's code is run, and how it is checked without running it. */
const LANGUAGES: Readonly<Record<string, { file: string; run: string[]; check: string[] }>> = {
  sh: { file: 'guide.sh', run: ['bash', '-euo', 'pipefail'], check: ['bash', '-n'] },
  ts: { file: 'guide.ts', run: [process.execPath], check: [process.execPath, '--check'] },
  js: { file: 'guide.mjs', run: [process.execPath], check: [process.execPath, '--check'] },
  python: { file: 'guide.py', run: ['python3'], check: ['python3', '-m', 'py_compile'] },
  go: { file: 'guide.go', run: ['go', 'run'], check: ['gofmt', '-e', '-l'] },
};

interface Example {
  readonly name: string;
  readonly language: string;
  readonly code: string;
  /** The answer that the guide shows for it. */
  readonly answer: string | undefined;
}

const examples = globSync('docs/guides/*.md', { cwd: ROOT })
  .sort()
  .flatMap((path): Example[] => {
    const blocks = [...readFileSync(join(ROOT, path), 'utf8').matchAll(BLOCK)];
    return blocks.flatMap(([, language = '', code = ''], at) => {
      if (LANGUAGES[language] === undefined) return [];
      const [, nextLanguage, next] = blocks[at + 1] ?? [];
      const name = `${basename(path, '.md')}: ${code.trim().split('\n', 1)[0]}`;
      return [{ name, language, code, answer: nextLanguage === 'json' ? next : undefined }];
    });
  });

const folder = mkdtempSync(join(tmpdir(), 'hindsight-guides-'));
let hindsight: HindsightProcess;
let apiKey: string;
beforeAll(async () => {
  install(pack('typescript', folder), '@hindsight/client', folder);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const dataDir = join(folder, 'data');
  hindsight = await startHindsight({ DATA_DIR: dataDir });
  apiKey = await makeFastKey(dataDir);
});
afterAll(async () => {
  await hindsight.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

async function run(
  command: readonly string[],
  cwd: string,
): Promise<{ code: number | null; output: string; errors: string }> {
  const [file = '', ...args] = command;
  const env = { ...process.env, HINDSIGHT_API_KEY: apiKey, HINDSIGHT_URL: hindsight.url };
  const child = spawn(file, args, { cwd, env });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, output, errors };
}

describe('an example of a guide', () => {
  it.each(examples)('$name', async ({ language, code, answer }) => {
    const { file, run: running, check } = LANGUAGES[language]!;
    const place = mkdtempSync(join(folder, 'example-'));
    mkdirSync(place, { recursive: true });
    // A reader has set the key before: the line that sets it shows where.
    const text = code.replaceAll(EXAMPLE_URL, hindsight.url).replace(/^export HINDSIGHT_API_KEY=.*$/m, ':');
    // An error is an answer where the guide shows one, and a fault everywhere else.
    const strict = answer?.includes('"statusCode"')
      ? text
      : text.replaceAll('curl -s', 'curl -s --fail-with-body');
    writeFileSync(join(place, file), strict);
    const {
      code: status,
      output,
      errors,
    } = await run([...(LACKED.test(code) ? check : running), file], place);
    expect({ status, errors: status === 0 ? '' : errors }).toEqual({ status: 0, errors: '' });
    if (answer === undefined) return;
    expect(JSON.parse(output)).toEqual(JSON.parse(answer));
  });

  it('exists in every language', () => {
    expect(new Set(examples.map(({ language }) => language))).toEqual(new Set(Object.keys(LANGUAGES)));
  });
});
