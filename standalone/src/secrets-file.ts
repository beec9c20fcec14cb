import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@hindsight/kernel/config.ts';
import { ensureFolder } from '@hindsight/kernel/ensure-folder.ts';
import { hasStoredKeys } from '@hindsight/projects/open.ts';
import { flush } from './flush.ts';

export const SECRETS_FILE = 'secrets.key';

/**
 * The secret of an embedded installation: made once, kept in the data folder, readable by its owner only.
 * Processes that start at once all get the same one, and a kill at any moment leaves a whole secret or none.
 * @throws {ConfigError} where there are stored keys already: they are under another secret, which the caller was not given
 */
export function embeddedSecret(dataDir: string): string {
  ensureFolder(dataDir);
  const path = join(dataDir, SECRETS_FILE);
  const existing = readIfThere(path);
  if (existing !== undefined) return existing;
  if (hasStoredKeys(dataDir)) return secretOfOthers(path);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  flush(dataDir);
  return readFileSync(path, 'utf8');
}

/** Of a process that has made it meanwhile, and stored the first key. */
function secretOfOthers(path: string): string {
  const secret = readIfThere(path);
  if (secret !== undefined) return secret;
  throw new ConfigError([
    `SECRETS_KEY is not set, and there is no ${path}: it must be the one that the stored keys are encrypted with`,
  ]);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
