/** The packages of clients/, as `npm pack` makes them, installed where nothing else is. */
import { askForOther, SHARED_SERVERS } from '@hindsight/tools/servers/shared-servers.ts';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

type PackedClients = Readonly<Record<ClientName, Packed>>;

/**
 * Builds and packs them, for the process that starts the run. Once for all suites: a build replaces the folder
 * that another suite may be packing.
 */
export async function packClients(): Promise<PackedClients & { readonly stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-packages-'));
  // The command depends on the other two, so they are built with it.
  await run('npm', ['run', '--silent', 'build'], { cwd: join(CLIENTS, 'cli') });
  const pack = async (name: ClientName): Promise<Packed> => {
    const args = ['pack', '--json', '--silent', '--pack-destination', folder, './dist'];
    const { stdout } = await run('npm', args, { cwd: join(CLIENTS, name) });
    const [made] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    return { tarball: join(folder, made.filename), files: made.files.map(({ path }) => path) };
  };
  const [typescript, mcp, cli] = await Promise.all([pack('typescript'), pack('mcp'), pack('cli')]);
  return { typescript, mcp, cli, stop: async () => rmSync(folder, { recursive: true, force: true }) };
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
