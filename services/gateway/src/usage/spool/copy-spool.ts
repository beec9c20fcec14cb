/** Copies the spool while gateways write to it and send from it. */
import { ensureFolder } from '@hindsight/kernel/ensure-folder.ts';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { producersIn, segmentPath, segmentsOf, SPOOL_FOLDER } from './producer-folder.ts';

/**
 * Copies all unsent usage of every producer from one data folder to another. Usage that is sent and removed
 * in the meantime is left out: a later copy of the bus has it. A producer with nothing left is copied too, as an
 * empty segment: the gateway that starts on the copy closes it, and so releases its units.
 * @returns the files, from the data folder
 */
export async function copySpool(from: string, to: string): Promise<string[]> {
  const copied: string[] = [];
  const root = join(from, SPOOL_FOLDER);
  for (const producer of await producersIn(root)) {
    const target = join(to, SPOOL_FOLDER, producer);
    ensureFolder(target);
    const before = copied.length;
    for (const number of await segmentsOf(join(root, producer))) {
      try {
        await copyFile(segmentPath(join(root, producer), number), segmentPath(target, number));
        copied.push(segmentPath(join(SPOOL_FOLDER, producer), number));
      } catch (error) {
        // It was sent and removed meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    if (copied.length > before) continue;
    // An object store keeps no folder without a file.
    await writeFile(segmentPath(target, 0), '');
    copied.push(segmentPath(join(SPOOL_FOLDER, producer), 0));
  }
  return copied;
}
