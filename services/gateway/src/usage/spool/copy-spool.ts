/** Copies the spool while gateways write to it and send from it. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { producersIn, segmentPath, segmentsOf, SPOOL_FOLDER } from './producer-folder.ts';

/**
 * Copies all unsent usage of every producer from one data folder to another. Usage that is sent and removed
 * in the meantime is left out: a later copy of the bus has it. A producer with nothing left is copied too:
 * the gateway that starts on the copy closes it, and so releases its units.
 * @returns the files, from the data folder
 */
export async function copySpool(from: string, to: string): Promise<string[]> {
  const copied: string[] = [];
  const root = join(from, SPOOL_FOLDER);
  for (const producer of await producersIn(root)) {
    const target = join(to, SPOOL_FOLDER, producer);
    await mkdir(target, { recursive: true, mode: 0o700 });
    const segments = await unlessGone(segmentsOf(join(root, producer)));
    for (const number of segments ?? []) {
      const copying = copyFile(segmentPath(join(root, producer), number), segmentPath(target, number));
      const done = await unlessGone(copying.then(() => true));
      if (done) copied.push(segmentPath(join(SPOOL_FOLDER, producer), number));
    }
  }
  return copied;
}

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
