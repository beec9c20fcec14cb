/** A package as `npm pack` makes it, installed in an otherwise empty place. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Contents of a package's tarball. */
export interface Packed {
  /** The tarball. */
  readonly tarball: string;
  /** The files in it. */
  readonly files: readonly string[];
}

/** Packs a workspace of clients/ into a folder; it is built on the way. */
export function pack(workspace: string, folder: string): Packed {
  const cwd = join(ROOT, 'clients', workspace);
  execFileSync('npm', ['run', '--silent', 'build'], { cwd });
  const args = ['pack', '--json', '--silent', '--pack-destination', folder, './dist'];
  const [made] = JSON.parse(execFileSync('npm', args, { cwd, encoding: 'utf8' })) as [
    { filename: string; files: { path: string }[] },
  ];
  return { tarball: join(folder, made.filename), files: made.files.map(({ path }) => path) };
}

/** Unpacks a tarball as an installed package. @returns the package's folder */
export function install({ tarball }: Packed, name: string, folder: string): string {
  const place = join(folder, 'node_modules', name);
  mkdirSync(place, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  return place;
}
