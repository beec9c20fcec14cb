/** The packages of this installation: clients/packages/, made by `npm run build:packages`, or on first use in a clone. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { once } from '@hindsight/kernel/once.ts';
import type { Package, Packages } from '../package-ports.ts';

const CLIENTS = resolve(import.meta.dirname, '../../../../clients');
const FOLDER = join(CLIENTS, 'packages');
const INDEX = join(FOLDER, 'index.json');
/** Absent where packages were made in advance, as in the container's image. */
const PACK = join(CLIENTS, 'pack.ts');
/** Three compilations, on a machine with other work. */
const BUILD_MS = 300_000;

export function openPackages(): Packages {
  const list = once(async () => {
    if (existsSync(PACK) && isOlderThanSources()) {
      await promisify(execFile)(process.execPath, [PACK, FOLDER], { timeout: BUILD_MS });
    }
    return JSON.parse(await readFile(INDEX, 'utf8')) as readonly Package[];
  });
  return { list, read: ({ file }) => readFile(join(FOLDER, file)) };
}

/** True if a client has changed since, or if there are no packages. */
function isOlderThanSources(): boolean {
  const made = statSync(INDEX, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync('*/{package.json,README.md,src/**/*.ts}', { cwd: CLIENTS });
  return sources.some((file) => statSync(join(CLIENTS, file)).mtimeMs > made);
}
