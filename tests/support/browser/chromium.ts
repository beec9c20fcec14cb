/** The real browser of this machine. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** Possible names of Chromium. */
export const COMMANDS: readonly string[] = ['chromium', 'chromium-browser', 'google-chrome'];
/** A container's /dev/shm is small, and root has no sandbox. */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
/** Milliseconds, on a busy machine. */
export const STARTS_WITHIN_MS = 60_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where Chromium is; undefined when there is none. */
export function findChromium(env: Environment): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command))).find(isExecutable);
}

/** Starts it. */
export function openBrowser(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, args: ARGUMENTS, timeout: STARTS_WITHIN_MS });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
