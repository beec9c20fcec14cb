/**
 * Folder of a test run's temporary files: in memory if there is room, since every commit of a store is synced
 * to it.
 */
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** The variable that carries the folder of this run to its end. */
export const RUN_FOLDER = 'HINDSIGHT_RUN_FOLDER';

const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 2 * 1024 ** 3;
const NAME = /^hindsight-tests-(\d+)$/;

/** Makes the folder of this run. @returns undefined if only the system's folder will do */
export function makeRunFolder(): string | undefined {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize < ROOM_BYTES) return undefined;
  } catch {
    return undefined;
  }
  removeAbandoned();
  const folder = join(IN_MEMORY, `hindsight-tests-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Runs that were killed could not remove theirs. */
function removeAbandoned(): void {
  for (const name of readdirSync(IN_MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(IN_MEMORY, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
