import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Writes a file or a folder through to the disk: a new file's name is there only once its folder is. */
export function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
