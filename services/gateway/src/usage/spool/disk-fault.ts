import { primaryCode } from '@hindsight/stores/sqlite-connection.ts';

/** Errors of the disk that are neither the product's fault nor permanent, by the system's names, with their remedies. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk of DATA_DIR is full: make room on it',
  EDQUOT: 'the quota of DATA_DIR is used up: raise it, or make room',
  EIO: 'the disk of DATA_DIR fails: look at the log of the kernel, and replace the disk',
};

/** The primary result codes of SQLite for the same (https://sqlite.org/rescode.html). */
const OF_SQLITE = new Map<number | undefined, string>([
  [10, 'EIO'],
  [13, 'ENOSPC'],
]);

/** Describes a fault of the disk, with its remedy; undefined for any other error. */
export function diskFault(error: unknown): { readonly code: string; readonly remedy: string } | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  const name = OF_SQLITE.get(primaryCode(error)) ?? code;
  const remedy = REMEDIES[name];
  return remedy === undefined ? undefined : { code: name, remedy };
}
