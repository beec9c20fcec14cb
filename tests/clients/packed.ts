/** The packages of clients/, as `npm pack` makes them, installed where nothing else is. */
import { askForOther, SHARED_SERVERS } from '@hindsight/tools/servers/shared-servers.ts';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const CLIENTS = resolve(import.meta.dirname, '../../clients');
const run = promisify(execFile);

/** Folders of clients/ that are packages. */
export type ClientName = 'typescript' | 'mcp' | 'cli';

/** Contents of a package's tarball. */
export interface Packed {
  /** Path of the tarball. */
  readonly tarball: string;
  /** Paths of the files in it. */
  readonly files: readonly string[];
}

interface Indexed {
  readonly name: string;
  readonly file: string;
}

type PackedClients = Readonly<Record<ClientName, Packed>>;

/**
 * Builds and packs them, for the process that starts the run, where the run's installation serves them from: it finds them up
 * to date. Once for all suites: a build replaces the folder that another suite may be packing.
 */
export async function packClients(): Promise<PackedClients & { readonly stop: () => Promise<void> }> {
  const folder = join(CLIENTS, 'packages');
  await run(process.execPath, [join(CLIENTS, 'pack.ts'), folder]);
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as Indexed[];
  const packed = (name: string): Packed => {
    const tarball = join(folder, index.find((each) => each.name === name)!.file);
    const paths = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
    return { tarball, files: paths.map((path) => path.replace('package/', '')) };
  };
  return {
    typescript: packed('@hindsight/client'),
    mcp: packed('@hindsight/mcp'),
    cli: packed('@hindsight/cli'),
    stop: () => Promise.resolve(),
  };
}

/** A package of the run; waits while it is built. */
export async function packedClient(env: NodeJS.ProcessEnv, name: ClientName): Promise<Packed> {
  const address = env[SHARED_SERVERS];
  if (address === undefined) throw new Error(`${SHARED_SERVERS} is not set: run tests with npm test`);
  return (await askForOther<PackedClients>(address, 'clients'))[name];
}

/** Unpacks a tarball as an installed package. @returns the package's folder */
export function install({ tarball }: Packed, name: string, folder: string): string {
  const place = join(folder, 'node_modules', name);
  mkdirSync(place, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  return place;
}
