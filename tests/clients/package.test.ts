/** The published package of the client: its contents, its size, its types. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { install, pack, type Packed } from './packed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAX_GZIPPED = 15 * 1024;

let folder: string;
let packed: Packed;
let place: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hindsight-client-'));
  packed = pack('typescript', folder);
  place = install(packed, '@hindsight/client', folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(['mcp', 'cli'])('the package of clients/%s', (workspace) => {
  it('holds its build alone, and passes publint and attw', () => {
    const { files, tarball } = pack(workspace, folder);
    expect(files.filter((path) => !/^[a-z/-]+\.(d\.ts|js)$/.test(path)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    const bin = join(ROOT, 'node_modules/.bin');
    execFileSync(join(bin, 'publint'), [tarball]);
    // A command alone has no types.
    if (workspace === 'mcp') execFileSync(join(bin, 'attw'), [tarball, '--profile', 'esm-only']);
  }, 600_000);
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

  it(`is at most ${MAX_GZIPPED} bytes, compressed`, () => {
    const code = globSync('**/*.js', { cwd: place }).map((file) => readFileSync(join(place, file)));
    expect(gzipSync(Buffer.concat(code)).length).toBeLessThanOrEqual(MAX_GZIPPED);
  });

  it.each([
    ['publint', ['run']],
    ['attw', ['--profile', 'esm-only']],
  ])('passes %s', (command, args) => {
    execFileSync(
      join(ROOT, 'node_modules/.bin', command),
      [packed.tarball, ...args.filter((a) => a !== 'run')],
      {
        encoding: 'utf8',
      },
    );
  });

  it('has the types of docs/openapi.json (npm run build:openapi writes them)', () => {
    const path = join(ROOT, 'clients/typescript');
    const made = join(folder, 'openapi.ts');
    execFileSync('npx', ['openapi-typescript', '../../docs/openapi.json', '--output', made], { cwd: path });
    // Not the texts themselves: of a stale file they differ by hundreds of lines.
    const isCurrent = readFileSync(join(path, 'src/openapi.ts')).equals(readFileSync(made));
    expect({ isCurrent }).toEqual({ isCurrent: true });
  });
});
