/**
 * The commands of the guides and the samples of the reference work as written, and give the answers shown.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { areRequired } from '@hindsight/tools/servers/find.ts';
import { install, packedClient } from '../clients/packed.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';
import { untilHoldersIndexed } from '../support/until-indexed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLE_URL = 'http://127.0.0.1:8080';
const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;
/** Examples that need a broker or library that this machine may lack: they are checked for their syntax. */
const LACKED = lacks('httpx') ? /kafka|import httpx/i : /kafka/i;

/** True if this machine's Python has no such package. */
function lacks(library: string): boolean {
  return spawnSync('python3', ['-c', `import ${library}`]).status !== 0;
}

/** Commands that run a language's code, and that check it without running it. */
const LANGUAGES: Readonly<Record<string, { file: string; run: string[]; check: string[] }>> = {
  sh: { file: 'guide.sh', run: ['bash', '-euo', 'pipefail'], check: ['bash', '-n'] },
  ts: { file: 'guide.ts', run: [process.execPath], check: [process.execPath, '--check'] },
  js: { file: 'guide.mjs', run: [process.execPath], check: [process.execPath, '--check'] },
  python: { file: 'guide.py', run: ['python3'], check: ['python3', '-m', 'py_compile'] },
  go: { file: 'guide.go', run: ['go', 'run'], check: ['gofmt', '-e', '-l'] },
};

/** Languages that this machine cannot run or check: their examples are skipped, unless servers are required. */
const absent = areRequired(process.env) ? [] : Object.keys(LANGUAGES).filter(isAbsent);

function isAbsent(language: string): boolean {
  const { run, check } = LANGUAGES[language]!;
  const missing = [run[0]!, check[0]!].find((command) => spawnSync(command, ['--version']).error);
  if (missing !== undefined)
    process.stderr.write(`\nSKIPPED: examples in ${language}: ${missing} is not on the path\n`);
  return missing !== undefined;
}

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

/** A whole answer, rows, and lines; in each of the languages. */
const SAMPLED = ['getTokenBalance', 'callView', 'getBalanceSnapshot'];
const LABELS: Readonly<Record<string, string>> = { curl: 'sh', TypeScript: 'ts', Python: 'python', Go: 'go' };

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> }>
  >;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
}

const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const samples = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .filter(({ operationId }) => SAMPLED.includes(operationId))
  .flatMap(({ operationId, responses, 'x-codeSamples': own }) => {
    const example = responses[200]?.content?.['application/json']?.example;
    return own.map(({ label, source }): Example => {
      const answer = example === undefined ? undefined : JSON.stringify(example);
      return { name: `${operationId} in ${label}`, language: LABELS[label] ?? '', code: source, answer };
    });
  });

const all = [...examples, ...samples];
const skipped = all.filter(({ language }) => absent.includes(language));
const present = all.filter((example) => !skipped.includes(example));

const folder = mkdtempSync(join(tmpdir(), 'hindsight-guides-'));
let hindsight: SharedHindsight;
let apiKey: string;
beforeAll(async () => {
  install(await packedClient(process.env, 'typescript'), '@hindsight/client', folder);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  hindsight = await sharedHindsight(process.env);
  apiKey = await makeFastKey(hindsight.dataDir);
  await untilHoldersIndexed(hindsight.url, apiKey);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(
  command: readonly string[],
  cwd: string,
  key = apiKey,
): Promise<{ code: number | null; output: string; errors: string }> {
  const [file = '', ...args] = command;
  // Set for the command line alone, which would ask the pages' own address. No page sets it for a program.
  const HINDSIGHT_URL = file === 'bash' ? hindsight.url : undefined;
  const env = { ...process.env, HINDSIGHT_API_KEY: key, HINDSIGHT_URL };
  const child = spawn(file, args, { cwd, env });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((done, reject) =>
    child.once('close', done).once('error', reject),
  );
  return { code, output, errors };
}

describe('an example of a guide or of the reference', () => {
  if (skipped.length > 0) it.skip.each(skipped)('$name', () => undefined);

  it.each(present)('$name', async ({ language, code, answer }) => {
    const { file, run: running, check } = LANGUAGES[language]!;
    const place = mkdtempSync(join(folder, 'example-'));
    mkdirSync(place, { recursive: true });
    // A reader has set the key before: the line that sets it marks the place.
    const text = code.replaceAll(EXAMPLE_URL, hindsight.url).replace(/^export HINDSIGHT_API_KEY=.*$/m, ':');
    // An error is an answer if the guide shows one, and a fault everywhere else.
    const strict = answer?.includes('"statusCode"')
      ? text
      : text.replaceAll(/curl -s(?= )/g, 'curl -s --fail-with-body');
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

  it.each(present.filter(({ name }) => name.startsWith('getTokenBalance in ')))(
    '$name ends with the code of an error',
    async ({ language, code }) => {
      const { file, run: running } = LANGUAGES[language]!;
      const place = mkdtempSync(join(folder, 'refused-'));
      writeFileSync(join(place, file), code.replaceAll(EXAMPLE_URL, hindsight.url));
      const { code: status, output, errors } = await run([...running, file], place, 'no-key');
      expect({ isFailure: status !== 0, said: output + errors }).toEqual({
        isFailure: true,
        said: expect.stringContaining('key_invalid'),
      });
    },
  );

  it('exists in every language', () => {
    expect(new Set(examples.map(({ language }) => language))).toEqual(new Set(Object.keys(LANGUAGES)));
  });
});
