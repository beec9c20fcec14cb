/** The real browser of this machine. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** Possible names of Chromium. The shell has no windows: a page takes a quarter of the processor time. */
export const COMMANDS: readonly string[] = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
];
/** This machine's names: pages may contact no other host. */
export const OWN_HOSTS: readonly string[] = ['127.0.0.1', 'localhost'];
const ARGUMENTS = [
  // A container's /dev/shm is small, and root has no sandbox.
  ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  // Other hosts' names do not resolve.
  `--host-resolver-rules=MAP * ~NOTFOUND, ${OWN_HOSTS.map((host) => `EXCLUDE ${host}`).join(', ')}`,
];
/** Milliseconds, on a busy machine. */
const STARTS_WITHIN_MS = 600_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Path of Chromium; undefined if there is none. */
export function findChromium(env: Environment): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command))).find(isExecutable);
}

/**
 * Starts it.
 * @param more arguments
 */
export function openBrowser(path: string, more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: path, args: [...ARGUMENTS, ...more], timeout: STARTS_WITHIN_MS });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
