/** The packages that `npm ci --omit=dev` installs, by package-lock.json. */
import { readFileSync } from 'node:fs';

/** The fields of a lock file's entry that are read here. */
interface Entry {
  /** Set if it differs from the path's. */
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The lock file: entries by their folders; that of the root is ''. */
export interface Lock {
  readonly packages: Readonly<Record<string, Entry>>;
}

/** A package that is installed, or one of the workspaces. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; undefined if the package names none. */
  readonly licence: string | undefined;
  /** `sha512-` and the checksum in base64; undefined for a workspace. */
  readonly integrity: string | undefined;
  readonly isOwn: boolean;
  /** The folders of the packages that it depends on. */
  readonly needs: readonly string[];
}

const LOCK = new URL('../../package-lock.json', import.meta.url);

/** Reads the repository's lock file. */
export function readLock(): Lock {
  return JSON.parse(readFileSync(LOCK, 'utf8')) as Lock;
}

/** All packages by their folders, the root and workspaces among them, without those for development only. */
export function installedBy({ packages }: Lock): ReadonlyMap<string, Installed> {
  const kept = Object.entries(packages).filter(([, { dev, link }]) => dev !== true && link !== true);
  return new Map(
    kept.map(([folder, entry]) => {
      const { version = '', license, integrity } = entry;
      const name = entry.name ?? folder.replace(/^.*node_modules\//, '');
      const isOwn = !folder.includes('node_modules/');
      // A choice between licences may be in parentheses.
      const licence = license?.replace(/^\((.*)\)$/, '$1');
      const needs = needsOf(packages, folder, entry);
      return [folder, { name, version, licence, integrity, isOwn, needs }];
    }),
  );
}

function needsOf(packages: Lock['packages'], folder: string, entry: Entry): string[] {
  const names = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
  return Object.keys(names).flatMap((name) => {
    const found = find(packages, folder, name);
    return found === undefined || packages[found]?.dev === true ? [] : [found];
  });
}

/** The folder of a package as Node finds it from another one's; undefined if it is not installed. */
function find(packages: Lock['packages'], from: string, name: string): string | undefined {
  const candidate = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  const entry = packages[candidate];
  if (entry !== undefined) return entry.link ? entry.resolved : candidate;
  if (from === '') return undefined;
  return find(
    packages,
    from.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$|^(?!.*node_modules).*$/, ''),
    name,
  );
}
