/**
 * `npm run build -w clients/<name>`: compiles a client, and turns its dist/ into the published package.
 * Within the repository a client needs no build: its package.json names the sources.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const CLIENTS = import.meta.dirname;
/** The folders of the clients that others depend on, by their published names. */
const FOLDERS: Readonly<Record<string, string>> = {
  '@hindsight/client': 'typescript',
  '@hindsight/mcp': 'mcp',
};

build(resolve('.'));

function build(folder: string): void {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  // Its types are checked against those published by the packages before it.
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const needed = FOLDERS[name];
    if (needed !== undefined) build(join(CLIENTS, needed));
  }
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const tsc = join(CLIENTS, '../node_modules/.bin/tsc');
  execFileSync(tsc, ['-p', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' });
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`);
  for (const file of ['README.md', 'LICENSE']) copyFileSync(join(folder, file), join(dist, file));
}

/** The manifest with the compiled files in place of the sources. */
function published(manifest: Manifest): object {
  const { scripts: _, devDependencies: __, ...kept } = manifest as Manifest & Record<string, unknown>;
  const compiled = (source: string, ending: string): string =>
    source.replace('./src/', './').replace(/\.ts$/, ending);
  const exports = Object.entries(manifest.exports ?? {}).map(([path, source]) => [
    path,
    source.endsWith('.ts') ? { types: compiled(source, '.d.ts'), default: compiled(source, '.js') } : source,
  ]);
  const bin = Object.entries(manifest.bin ?? {}).map(([name, source]) => [name, compiled(source, '.js')]);
  return {
    ...kept,
    ...(exports.length > 0 ? { exports: Object.fromEntries(exports) as object } : {}),
    ...(bin.length > 0 ? { bin: Object.fromEntries(bin) as object } : {}),
  };
}
