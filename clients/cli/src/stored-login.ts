/** The file of `hindsight login`, which only its owner can read. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export interface StoredLogin {
  readonly url?: string;
  readonly apiKey?: string;
}

/** The file: below `XDG_CONFIG_HOME`, or `~/.config`. */
export function loginPath(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'hindsight', 'login.json');
}

/** Undefined before the first login. @throws {Error} for a file that cannot be read */
export function readLogin(path: string): StoredLogin {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredLogin;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${path} cannot be read; remove it and log in again`, { cause: error });
  }
}

/** Replaces the whole file: it is never half written, not by a power cut either, and never readable by others. */
export function writeLogin(path: string, login: StoredLogin): void {
  ensureFolder(dirname(path));
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(next, path);
}

/** Makes a folder, with those that it is in. Node's own recursion never ends in `/proc`, which refuses folders with ENOENT. */
function ensureFolder(path: string): void {
  if (existsSync(path)) return;
  ensureFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
