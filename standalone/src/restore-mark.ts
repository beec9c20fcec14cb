import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@hindsight/kernel/config.ts';
import { flush } from './flush.ts';

const MARK = 'restore.unfinished';

/** Marks a data folder that is being restored: a part of a backup must not be taken for all of it. */
export function markUnfinished(dataDir: string): void {
  writeFileSync(join(dataDir, MARK), '', { mode: 0o600, flush: true });
  flush(dataDir);
}

/** The folder is as it was copied, and has no sessions and numbers of orders that were used since. */
export function markFinished(dataDir: string): void {
  rmSync(join(dataDir, MARK));
  flush(dataDir);
}

/** @throws {ConfigError} for a folder whose restore was interrupted */
export function refuseUnfinished(dataDir: string): void {
  if (existsSync(join(dataDir, MARK)))
    throw new ConfigError([
      `DATA_DIR ${dataDir} has a backup that was not restored to the end: empty the folder, and run \`backup restore\` again`,
    ]);
}
