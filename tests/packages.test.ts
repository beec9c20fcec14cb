/**
 * Installed packages: those of each service and their dependencies; the one version; the Node that runs it.
 */
import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { globSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const FOLDERS = globSync('{shared,services}/*/package.json', { cwd: ROOT }).map(dirname);
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
const PACKAGES = new Map(FOLDERS.map((folder) => [manifestOf(folder).name, folder]));

/** Every package that a process of this one loads or may load, without what those bring themselves. */
function installedWith(folder: string, seen = new Set<string>()): Set<string> {
  for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
    if (seen.has(name)) continue;
    seen.add(name);
    const own = PACKAGES.get(name);
    if (own !== undefined) installedWith(own, seen);
  }
  return seen;
}

/** The stores that a package's production code opens: it needs their drivers. */
function driversOf(folder: string): string[] {
  const sources = globSync(`${folder}/src/**/*.ts`, { cwd: ROOT }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  const text = sources.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
  const opened = text.matchAll(/\bopen(Redis|Mongodb)\(/g);
  return [...opened].map(([, store]) => (store === 'Redis' ? 'ioredis' : 'mongodb'));
}

describe('the packages of a service', () => {
  it('bring balance neither kafkajs nor mongodb', () => {
    const installed = installedWith('services/balance');
    expect([...installed].filter((name) => ['kafkajs', 'mongodb', 'nodemailer'].includes(name))).toEqual([]);
    expect(installed).toContain('ethers');
  });

  it('bring the gateway no Ethereum library', () => {
    expect(installedWith('services/gateway')).not.toContain('ethers');
  });

  it.each(FOLDERS.filter((folder) => folder !== 'shared/stores'))(
    'have the driver of every store that %s opens',
    (folder) => {
      const installed = installedWith(folder);
      expect(driversOf(folder).filter((driver) => !installed.has(driver))).toEqual([]);
    },
  );

  it('open a store somewhere', () => {
    expect(new Set(FOLDERS.flatMap(driversOf))).toEqual(new Set(['ioredis', 'mongodb']));
  });
});

describe('the version', () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const [, version = ''] = /^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/m.exec(read('CHANGELOG.md')) ?? [];
  const manifests = globSync('**/package.json', {
    cwd: ROOT,
    exclude: (name) => /(?:^|\/)(?:node_modules|dist|\.stack|data|recipes)$/.test(name),
  });

  it('of every package is that of the newest release in the changelog, as it is in the lock file', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { version?: string }>;
    };
    const versions = manifests.map((path) => [
      path,
      (JSON.parse(read(path)) as { version: string }).version,
      packages[dirname(path).replace(/^\.$/, '')]?.version ?? version,
    ]);
    expect(versions).toEqual(manifests.map((path) => [path, version, version]));
  });

  it('is what packages name of each other', () => {
    const named = manifests.flatMap((path) => [
      ...read(path)
        .matchAll(/"@hindsight\/\w+": "(.+)"/g)
        .map(([, other]) => [path, other]),
    ]);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(([, other]) => other !== version)).toEqual([]);
  });

  it.each([
    ['clients/mcp/src/server.ts', /version: '(.+?)'/],
    ['deploy/kubernetes/base/kustomization.yaml', /newTag: (\S+)/],
    ['docs/operations/kubernetes.md', /hindsight:(\S+)/],
    ['deploy/helm/Chart.yaml', /^version: (\S+)/m],
    ['deploy/helm/Chart.yaml', /^appVersion: (\S+)/m],
    ['clients/cli/src/run.ts', /VERSION = '(.+?)'/],
  ])('is in %s', (path, found) => {
    expect(found.exec(read(path))?.[1]).toBe(version);
  });
});

/** As after `npm ci --ignore-scripts`, after which the machine's Node runs them. */
describe('the programs that users start', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const OLD_NODE =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})";

  it.each(['start', 'admin', 'events'])('say in one line that npm run %s needs a newer Node', (name) => {
    const [, words = ''] = /\bnode (.+)$/.exec(scripts[name] ?? '') ?? [];
    const run = spawnSync(process.execPath, ['--import', OLD_NODE, ...words.split(' ')], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(run.stderr).toMatch(/^Hindsight needs Node 24 or newer; this is Node 20\.20\.2\. .+\n$/);
    expect(run.status).toBe(1);
  });
});

const BLOCK = 4096;
const MB = 1024 * 1024;

/** Bytes of a folder on a disk of 4 KiB blocks; a file with two names counts once. */
function bytesOf(folder: string, counted: Set<number>): number {
  let bytes = BLOCK;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') bytes += bytesOf(path, counted);
    if (!entry.isFile()) continue;
    const { ino, nlink, size } = lstatSync(path);
    if (nlink > 1 && counted.has(ino)) continue;
    counted.add(ino);
    bytes += Math.ceil(size / BLOCK) * BLOCK;
  }
  return bytes;
}

describe('what npm ci installs; what few need is a recipe of tools/servers', () => {
  /** The same on every platform: JavaScript and its types. */
  const MAX_PORTABLE_MB = 215;
  const MAX_PACKAGE_MB = 30;
  /** Programs, which differ by platform; each has its reason. */
  const PROGRAMS = /^(?:node|@duckdb\/node-bindings-.+|@foundry-rs\/anvil-.+)$/;
  const MAX_PROGRAM_MB = 125;

  const counted = new Set<number>();
  const packages = globSync('{,*/,*/*/}node_modules/**/package.json', { cwd: ROOT })
    .map(dirname)
    .flatMap((folder) => {
      const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(folder) ?? [];
      if (name === undefined || lstatSync(join(ROOT, folder)).isSymbolicLink()) return [];
      const { os, cpu } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
        os?: unknown;
        cpu?: unknown;
      };
      const isProgram = PROGRAMS.test(name);
      const isPortable = !isProgram && os === undefined && cpu === undefined;
      return [{ name, isProgram, isPortable, mb: bytesOf(join(ROOT, folder), counted) / MB }];
    })
    .sort((one, other) => other.mb - one.mb);
  const words = (some: typeof packages): string[] =>
    some.slice(0, 20).map(({ name, mb }) => `${mb.toFixed(1)} MB ${name}`);

  it(`has no package above ${MAX_PACKAGE_MB} MB but some programs`, () => {
    const tooLarge = packages.filter(
      ({ isProgram, mb }) => mb > (isProgram ? MAX_PROGRAM_MB : MAX_PACKAGE_MB),
    );
    expect(words(tooLarge)).toEqual([]);
  });

  it(`is at most ${MAX_PORTABLE_MB} MB of what is the same on every platform`, () => {
    const portable = packages.filter(({ isPortable }) => isPortable);
    const total = portable.reduce((sum, { mb }) => sum + mb, 0);
    expect(portable.length).toBeGreaterThan(100);
    expect(total <= MAX_PORTABLE_MB ? [] : [`${total.toFixed(1)} MB`, ...words(portable)]).toEqual([]);
  });
});
