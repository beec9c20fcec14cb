/** A copy of the embedded data folder, made while it is in use, and a data folder made of a copy. */
import { copySpool } from '@hindsight/gateway/service.ts';
import { ensureFolder } from '@hindsight/kernel/ensure-folder.ts';
import { copyDatabases } from '@hindsight/stores/sqlite-backup.ts';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { flush } from '../flush.ts';
import { markUnfinished } from '../restore-mark.ts';
import { SECRETS_FILE } from '../secrets-file.ts';

/** Written last: a copy without it is not complete. */
const LIST = 'backup.json';
const FORMAT = 1;

export interface BackupList {
  readonly format: number;
  /** Everything that was answered before this moment is in the copy. */
  readonly at: string;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

/** Copies a data folder into a new one. @throws when that has something in it */
export async function createBackup(dataDir: string, folder: string, at: Date): Promise<BackupList> {
  if (!existsSync(dataDir)) throw new Error(`there is no data folder ${dataDir}: set DATA_DIR`);
  makeEmptyFolder(folder);
  const secrets = existsSync(join(dataDir, SECRETS_FILE)) ? [SECRETS_FILE] : [];
  for (const name of secrets) copyFileSync(join(dataDir, name), join(folder, name));
  // Usage goes from the spool to the bus and to the ledger. Copied in that order nothing falls in between, and what is
  // copied twice is counted once. The databases are of one moment.
  const spool = await copySpool(dataDir, folder);
  const databases = await copyDatabases(dataDir, folder);
  const files: BackupList['files'][number][] = [];
  for (const path of [...databases, ...secrets, ...spool]) {
    chmodSync(join(folder, path), 0o600);
    flush(join(folder, path));
    files.push({ path, ...(await measure(join(folder, path))) });
  }
  if (files.length === 0) throw new Error(`there is nothing of Hindsight in ${dataDir}: set DATA_DIR`);
  const list = { format: FORMAT, at: at.toISOString(), files };
  flush(folder);
  const draft = join(folder, `${LIST}.part`);
  writeFileSync(draft, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(draft, join(folder, LIST));
  flush(folder);
  return list;
}

/** Makes a data folder of a copy, as it was, marked as unfinished. @throws when the copy is not whole, or the data folder has something in it */
export async function restoreBackup(folder: string, dataDir: string): Promise<BackupList> {
  const list = readList(folder);
  for (const { path, sha256 } of list.files) {
    const found = existsSync(join(folder, path)) ? await measure(join(folder, path)) : undefined;
    if (found?.sha256 !== sha256)
      throw new Error(`${join(folder, path)} is not as it was copied: use another backup`);
  }
  makeEmptyFolder(dataDir);
  markUnfinished(dataDir);
  for (const { path } of list.files) {
    ensureFolder(dirname(join(dataDir, path)));
    copyFileSync(join(folder, path), join(dataDir, path));
    // The copy may have been somewhere that does not keep modes.
    chmodSync(join(dataDir, path), 0o600);
    flush(join(dataDir, path));
  }
  flush(dataDir);
  return list;
}

function makeEmptyFolder(path: string): void {
  ensureFolder(path);
  if (readdirSync(path).length > 0)
    throw new Error(`${path} is not empty: choose another folder, or move its contents away`);
}

function readList(folder: string): BackupList {
  if (!existsSync(join(folder, LIST)))
    throw new Error(`${folder} has no ${LIST}: it is not a backup, or it was interrupted`);
  const list = JSON.parse(readFileSync(join(folder, LIST), 'utf8')) as BackupList;
  if (list.format !== FORMAT)
    throw new Error(`${folder} was made by a later version, in format ${list.format}`);
  return list;
}

async function measure(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { bytes: statSync(path).size, sha256: hash.digest('hex') };
}
