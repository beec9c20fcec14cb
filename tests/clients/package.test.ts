/** The published package of the client: its contents, its size, its types. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import typescript from 'typescript';
import { install, packedClient, type Packed } from './packed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PUBLINT = join(ROOT, 'node_modules/.bin/publint');
/** Bytes of code as a bundle has it before its names are shortened: compressed, without comments. */
const MAX_GZIPPED = 12 * 1024;
/** Of the verifier, which only its own path brings in. */
const MAX_VERIFIER_GZIPPED = 8.25 * 1024;
/** `verifySnapshot`, which needs the other. */
const MAX_SNAPSHOT_VERIFIER_GZIPPED = 9.75 * 1024;

let folder: string;
let packed: Packed;
let place: string;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hindsight-client-')));
  packed = await packedClient(process.env, 'typescript');
  place = install(packed, '@hindsight/client', folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A caller of the client's package. */
const CALLER = `import { createClient, type NativeBalance } from '@hindsight/client';
  const client = createClient({ url: '', apiKey: '' });
  const held: NativeBalance = await client.balance.at({ token: 'native', holder: 'alice.eth', block: 1 });
  // @ts-expect-error an amount is a bigint
  held.balance satisfies string;
  const unset = undefined as number | undefined;
  createClient({ url: undefined, apiKey: '', timeoutMs: unset }).usage({ month: undefined });
  client.balance.changes({ token: 'native', holder: 'alice.eth', from: 1, to: unset, pageSize: unset });
  client.holders.list({ token: '', chunk: unset, onTotals: undefined });
  client.orders.list({ swapper: undefined, pageSize: unset });
  for await (const one of client.orders.stream({ ends: undefined })) one.type satisfies string;
  import { verify } from '@hindsight/client/verify';
  const checked = verify(held, { blockHash: '' });
  if (checked.verified) checked.amount satisfies bigint;
  else checked.reason satisfies 'amount' | string;
  import { verifySnapshot } from '@hindsight/client/verify-snapshot';
  (await verifySnapshot([], { blockHash: '' })).sum satisfies bigint;`;
const MCP_CALLER = `import { createMcpServer } from '@hindsight/mcp';
  // @ts-expect-error it needs an API
  createMcpServer();`;

/** Compressed size of files of the client, without comments. */
function sizeOf(files: readonly string[]): number {
  const compilerOptions = { removeComments: true, target: typescript.ScriptTarget.ES2022 };
  const bare = files.map((file) => {
    const code = readFileSync(join(place, file), 'utf8');
    return typescript.transpileModule(code, { compilerOptions }).outputText;
  });
  return gzipSync(bare.join('')).length;
}

/** Compiles callers of installed packages with every check on, our packages' own types among them; not those of others. */
function compile(callers: readonly string[], resolution: 'nodenext' | 'bundler', lib: string): string {
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const files = callers.map((text, at) => {
    const file = join(folder, `caller-${at}.ts`);
    writeFileSync(file, text);
    return file;
  });
  const words = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noEmit',
    '--module',
    resolution === 'bundler' ? 'esnext' : 'nodenext',
    '--moduleResolution',
    resolution,
    ...['--lib', lib, '--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')],
  ];
  const { options, errors } = typescript.parseCommandLine([...words, ...files]);
  const program = typescript.createProgram(files, options);
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  expect(own.length).toBeGreaterThan(20);
  const wrong = own.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  const host = typescript.createCompilerHost(options);
  return typescript.formatDiagnostics([...errors, ...program.getOptionsDiagnostics(), ...wrong], host);
}

describe.each(['mcp', 'cli'] as const)('the package of clients/%s', (workspace) => {
  it('holds its build and our packages that it needs, and passes publint', async () => {
    const { files, tarball } = await packedClient(process.env, workspace);
    const inside = workspace === 'mcp' ? '' : 'node_modules/@hindsight/mcp/';
    expect(files).toContain(`${inside}guides/amounts.md`);
    const own = files.filter((path) => !/^(node_modules\/@hindsight|guides)\//.test(path));
    expect(own.filter((path) => !/^[a-z/-]+\.(d\.ts|js)$/.test(path)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(files).toContain('node_modules/@hindsight/client/index.js');
    execFileSync(PUBLINT, [tarball]);
  });

  it('is not packed from its sources', () => {
    const cwd = join(ROOT, 'clients', workspace);
    const { status, stderr } = spawnSync('npm', ['pack', '--dry-run'], { cwd, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm pack ./dist')]);
  });
});

it('the packages @hindsight/client and @hindsight/mcp have types that hold, as nodenext finds them', async () => {
  install(await packedClient(process.env, 'mcp'), '@hindsight/mcp', folder);
  for (const name of ['@modelcontextprotocol', 'zod']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  // The SDK of the protocol names types of browsers.
  expect(compile([CALLER, MCP_CALLER], 'nodenext', 'esnext,dom')).toBe('');
});

describe('the package @hindsight/client', () => {
  it('holds the build, a README and a licence, and nothing else', () => {
    const others = packed.files.filter((path) => !/^[a-z/-]+\.(d\.ts|js)$/.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(packed.files.filter((path) => path.includes('.test.'))).toEqual([]);
  });

  it('depends on nothing at run time', () => {
    const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as {
      dependencies?: object;
    };
    expect(manifest.dependencies ?? {}).toEqual({});
    const imported = globSync('**/*.js', { cwd: place }).flatMap((file) =>
      [...readFileSync(join(place, file), 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from),
    );
    expect(imported.filter((from) => !from?.startsWith('.'))).toEqual([]);
  });

  it(`is at most ${MAX_GZIPPED} bytes without its verifier`, () => {
    const files = globSync('**/*.js', { cwd: place }).filter((file) => !file.startsWith('verify/'));
    expect(files.length).toBeGreaterThan(20);
    expect(sizeOf(files)).toBeLessThanOrEqual(MAX_GZIPPED);
  });

  it(`has a verifier of answers of at most ${MAX_VERIFIER_GZIPPED} bytes, and one of snapshots of at most ${MAX_SNAPSHOT_VERIFIER_GZIPPED}`, () => {
    const files = globSync('verify/*.js', { cwd: place });
    const answers = files.filter((file) => file !== 'verify/snapshot.js');
    expect(answers.length).toBeGreaterThan(5);
    expect(files.length).toBe(answers.length + 1);
    expect(sizeOf(answers)).toBeLessThanOrEqual(MAX_VERIFIER_GZIPPED);
    expect(sizeOf(files)).toBeLessThanOrEqual(MAX_SNAPSHOT_VERIFIER_GZIPPED);
  });

  it('has a verifier apart: neither imports the other', () => {
    for (const file of globSync('**/*.js', { cwd: place })) {
      const imports = [...readFileSync(join(place, file), 'utf8').matchAll(/from '([^']+)'/g)];
      const paths = imports.map(([, from]) => join(dirname(file), from!));
      const isVerifier = file.startsWith('verify/');
      expect([file, paths.filter((path) => path.startsWith('verify/') !== isVerifier)]).toEqual([file, []]);
    }
  });

  it('passes publint', () => {
    execFileSync(PUBLINT, [packed.tarball]);
  });

  it('has types that hold without those of browsers, as bundler finds them', () => {
    expect(compile([CALLER], 'bundler', 'esnext')).toBe('');
  });
});
