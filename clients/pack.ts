/**
 * `npm run build:packages`: builds the clients and packs them, with Python's examples, into clients/packages/ and an
 * index.json beside them. The portal serves that folder.
 *   node clients/pack.ts [FOLDER]
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** An entry of index.json. */
interface PackedFile {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly bytes: number;
  /** As package managers write it: `sha512-` and base64. */
  readonly integrity: string;
}

const CLIENTS = import.meta.dirname;
const GUIDE = join(CLIENTS, '../docs/guides/python.md');
/** A heading and the next program below it. */
const PROGRAM = /^## (.+)\n(?:(?!## |```python\n).*\n)*```python\n([\s\S]*?)^```$/gm;

pack(resolve(process.argv[2] ?? join(CLIENTS, 'packages')));

function pack(folder: string): void {
  // The command depends on the other two, so they are built with it.
  execFileSync(process.execPath, [join(CLIENTS, 'build.ts')], {
    cwd: join(CLIENTS, 'cli'),
    stdio: 'inherit',
  });
  mkdirSync(folder, { recursive: true });
  // Each file appears whole: the portal may be reading the folder.
  const made = mkdtempSync(join(folder, '.new-'));
  const packed = [...packClients(['typescript', 'mcp', 'cli'], made), packPython(made)];
  for (const { file } of packed) renameSync(join(made, file), join(folder, file));
  const index = join(made, 'index.json');
  writeFileSync(index, `${JSON.stringify(packed, null, 2)}\n`);
  renameSync(index, join(folder, 'index.json'));
  rmSync(made, { recursive: true });
}

/** In one run of npm, whose start takes longer than its work. */
function packClients(names: readonly string[], folder: string): PackedFile[] {
  const dists = names.map((name) => `./${name}/dist`);
  const args = ['pack', '--json', '--silent', '--pack-destination', folder, ...dists];
  const made = JSON.parse(execFileSync('npm', args, { cwd: CLIENTS, encoding: 'utf8' })) as {
    readonly name: string;
    readonly version: string;
    readonly filename: string;
  }[];
  return made.map((one) => describeFile(one, join(folder, one.filename)));
}

/** Packs the programs of the guide, each under the name of its heading. */
function packPython(folder: string): PackedFile {
  const { version } = JSON.parse(
    readFileSync(join(CLIENTS, 'typescript/package.json'), 'utf8'),
  ) as PackedFile;
  const name = 'hindsight-python-examples';
  const place = join(folder, name);
  mkdirSync(place);
  for (const [, heading = '', code = ''] of readFileSync(GUIDE, 'utf8').matchAll(PROGRAM)) {
    writeFileSync(join(place, `${heading.toLowerCase().replaceAll(' ', '-')}.py`), code);
  }
  const path = join(folder, `${name}-${version}.tgz`);
  execFileSync('tar', ['-czf', path, '-C', folder, name]);
  return describeFile({ name, version }, path);
}

function describeFile({ name, version }: Pick<PackedFile, 'name' | 'version'>, path: string): PackedFile {
  const integrity = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
  return { name, version, file: basename(path), bytes: statSync(path).size, integrity };
}
