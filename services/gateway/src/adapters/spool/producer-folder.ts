/** The folder of a producer: segments, and a lock that ends with the process that holds it, however it ends. */
import { open, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const LOCK = 'lock.db';
/** A producer's id is a UUID. */
const PRODUCER = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
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

/** Locks the folder, creating it if missing; undefined while another process holds it. */
export async function takeFolder(root: string, producer: string): Promise<ProducerFolder | undefined> {
  const path = join(root, producer);
  await mkdir(path, { recursive: true, mode: 0o700 });
  const lock = lockOf(path);
  if (lock === undefined) return undefined;
  const release = (): void => {
    if (lock.isOpen) lock.close();
  };
  await syncFolder(root);
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

function lockOf(path: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(join(path, LOCK));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    return undefined;
  }
}

/** The producers that have a folder. */
export async function producersIn(root: string): Promise<string[]> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  return (await readdir(root)).filter((name) => PRODUCER.test(name)).sort();
}

/** Numbers of a producer's segments, rising. */
export async function segmentsOf(path: string): Promise<number[]> {
  const names = await readdir(path);
  return names
    .flatMap((name) => SEGMENT.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** Where a segment is. */
export function segmentPath(path: string, number: number): string {
  return join(path, `${String(number).padStart(8, '0')}.log`);
}

/** A new file is there after a crash only once its folder is on disk too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
