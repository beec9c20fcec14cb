/** The folder of a producer: segments, and a lock that ends with the process that holds it, however it ends. */
import { existsSync, statSync } from 'node:fs';
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ensureFolder } from '@hindsight/kernel/ensure-folder.ts';
import { primaryCode } from '@hindsight/stores/sqlite-connection.ts';

export const SPOOL_FOLDER = 'usage-spool';

const LOCK = 'lock.db';
/** A folder with this prefix is no producer's yet. */
const NEW = '.new-';
/** Longer than it takes to make one. */
const MAKING_MS = 60_000;
/** SQLite's result code for a lock of another process (https://sqlite.org/rescode.html). */
const BUSY = 5;
/** A producer's id is a UUID. */
const PRODUCER = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Written to try the disk: less than many records would be no room. */
const ROOM_BYTES = 64 * 1024;
const SEGMENT = /^(\d{8})\.log$/;

/** A producer's folder that is ours. */
export interface ProducerFolder {
  readonly producer: string;
  readonly path: string;
  /** Removes the folder; may be called again where that failed. */
  remove(): Promise<void>;
  /** Leaves it to the next process. */
  release(): void;
}

/**
 * Makes the folder of a new producer. It gets its name only once it is locked: another gateway would take it
 * over before. After a failure nothing is left behind.
 */
export async function makeFolder(root: string, producer: string): Promise<ProducerFolder> {
  const unnamed = join(root, `${NEW}${producer}`);
  let lock: DatabaseSync | undefined;
  try {
    ensureFolder(unnamed);
    // SQLite would not say why it cannot.
    await writeFile(join(unnamed, LOCK), '');
    lock = lockOf(unnamed);
    if (lock === undefined) throw new Error(`the usage folder of ${producer} belongs to another process`);
    await rename(unnamed, join(root, producer));
    await syncFolder(root);
    return lockedFolder(root, producer, lock);
  } catch (error) {
    lock?.close();
    for (const path of [unnamed, join(root, producer)])
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** Removes folders that were never named: their processes were killed while they made them. */
export async function removeUnnamed(root: string): Promise<void> {
  for (const name of await namesIn(root)) {
    const path = join(root, name);
    if (!name.startsWith(NEW)) continue;
    // Gone where another process, which starts at this moment, has just named it.
    const folder = statSync(path, { throwIfNoEntry: false });
    if (folder !== undefined && folder.mtimeMs < Date.now() - MAKING_MS)
      await rm(path, { recursive: true, force: true });
  }
}

/** Locks a folder that exists; undefined while another process holds it, or after it has removed it. */
export async function takeFolder(root: string, producer: string): Promise<ProducerFolder | undefined> {
  const path = join(root, producer);
  const lock = existsSync(path) ? lockOf(path) : undefined;
  return lock && lockedFolder(root, producer, lock);
}

function lockedFolder(root: string, producer: string, lock: DatabaseSync): ProducerFolder {
  const path = join(root, producer);
  const release = (): void => {
    if (lock.isOpen) lock.close();
  };
  return {
    producer,
    path,
    async remove() {
      release();
      await rm(path, { recursive: true, force: true });
    },
    release,
  };
}

/** Undefined while another process has it. @throws the errors of the disk */
function lockOf(path: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(join(path, LOCK));
  try {
    // Writes nothing, so that a former producer can be taken over, and make room, on a full disk.
    lock.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (primaryCode(error) === BUSY) return undefined;
    throw error;
  }
}

export async function producersIn(root: string): Promise<string[]> {
  return (await namesIn(root)).filter((name) => PRODUCER.test(name)).sort();
}

/** Numbers of a producer's segments, rising; none where the folder is not made yet, or removed. */
export async function segmentsOf(path: string): Promise<number[]> {
  return (await namesIn(path))
    .flatMap((name) => SEGMENT.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function segmentPath(path: string, number: number): string {
  return join(path, `${String(number).padStart(8, '0')}.log`);
}

/** True if a file can be written there; it is removed again. */
export async function hasRoom(path: string): Promise<boolean> {
  const file = join(path, 'room');
  const isWritten = await writeFile(file, Buffer.alloc(ROOM_BYTES), { flush: true }).then(
    () => true,
    () => false,
  );
  // One that cannot be removed is written over the next time.
  await rm(file, { force: true }).catch(() => undefined);
  return isWritten;
}

/** A new file survives a crash only once its folder is on disk too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
