/** The packages of this installation: clients/packages/, made by `npm run build:packages`, or on first use in a clone. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { once } from '@hindsight/kernel/once.ts';
import type { Package, Packages } from '../package-ports.ts';

const CLIENTS = resolve(import.meta.dirname, '../../../../clients');
/** Absent where packages were made in advance, as in the container's image. */
const PACK = join(CLIENTS, 'pack.ts');
/** Three compilations, on a machine with other work. */
const BUILD_MS = 300_000;

export function openPackages(folder = join(CLIENTS, 'packages')): Packages {
  const index = join(folder, 'index.json');
  const list = once(async () => {
    if (existsSync(PACK) && isOlderThanSources(index)) {
      await promisify(execFile)(process.execPath, [PACK, folder], { timeout: BUILD_MS });
    }
    return JSON.parse(await readFile(index, 'utf8')) as readonly Package[];
  });
  return { list, read: ({ file }) => readFile(join(folder, file)) };
}

/** True if a client has changed since, or if there are no packages. */
function isOlderThanSources(index: string): boolean {
  const made = statSync(index, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync('*/{package.json,README.md,src/**/*.ts}', { cwd: CLIENTS });
  return sources.some((file) => statSync(join(CLIENTS, file)).mtimeMs > made);
}
