/** Files of the command line, which a power cut must not leave empty under their names. */
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Client } from '@hindsight/client';
import { execFileSync } from 'node:child_process';
import fs, { mkdtempSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { countHolders, readCounted, readHolders } from '../../clients/cli/src/holders-file.ts';
import { toParquet } from '../../clients/cli/src/holders-parquet.ts';
import { SnapshotFile } from '../../clients/cli/src/snapshot-file.ts';
import { writeLogin } from '../../clients/cli/src/stored-login.ts';

const ROOT = resolve(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-files-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

it('a login is on disk before it has its name', () => {
  const synced = jest.spyOn(fs, 'fsyncSync');
  writeLogin(join(folder, 'login.json'), { apiKey: 'key' });
  expect(synced).toHaveBeenCalledTimes(1);
  expect(fs.existsSync(join(folder, 'login.json'))).toBe(true);
});

it('the note of a snapshot is on disk before its first row', async () => {
  const synced = jest.spyOn(fs, 'fsyncSync');
  const file = await SnapshotFile.open(join(folder, 'held.csv'), false);
  file.begin({ tokens: ['native'], block_hash: '0xb', block: 7 }, 'holder');
  expect(synced).toHaveBeenCalledTimes(1);
  file.complete();
});

it('a Parquet file is on disk before it is complete', async () => {
  const handle = await open(folder);
  const kind = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const synced = jest.spyOn(kind, 'sync');
  const index = { complete: true, from_block: 0 };
  const facts = { holders: 0, errors: 0, sum: '0', total_supply: null, next: null, index };
  const client = { holders: { file: async () => ({ facts, bytes: [Buffer.from('PAR1')] }) } };
  const stream = () => new PassThrough().resume();
  const { signal } = new AbortController();
  const context = { env: {}, stdin: stream(), stdout: stream(), stderr: stream(), signal };
  const question = { token: `0x${'1a'.repeat(20)}`, signal };
  await toParquet(context, client as unknown as Client, question, join(folder, 'held.parquet'));
  expect(synced).toHaveBeenCalledTimes(1);
});

/** Writes rows to a file that a full disk takes a part of; then there is room again. */
const FILL = `
  import { statSync } from 'node:fs';
  import { SnapshotFile } from './clients/cli/src/snapshot-file.ts';
  import { setFileSize } from './tests/support/file-size.ts';
  const path = process.argv.at(-1);
  // Without a handler it ends the process.
  process.on('SIGXFSZ', () => undefined);
  const file = await SnapshotFile.open(path, false);
  file.begin({ tokens: ['native'], block_hash: '0xb', block: 7 }, 'holder');
  for (const row of ['1', '2', '3']) file.add(row.repeat(100));
  setFileSize(process.pid, statSync(path).size + 150);
  try {
    file.flush();
  } catch (error) {
    console.log(error.code);
  }
  setFileSize(process.pid, 'unlimited');
  file.flush();`;

it('rows of which a full disk took a part are an error, and are not written twice', async () => {
  const path = join(folder, 'held.csv');
  const words = ['--input-type=module', '-e', FILL, path];
  expect(execFileSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' })).toBe('EFBIG\n');
  const resumed = await SnapshotFile.open(path, true);
  expect(resumed.rows).toBe(1);
  resumed.complete();
});

it.each([
  ...['', 'null', '{}', '[]', '{"tokens":"native","block_hash":"0xb","block":7}'],
  ...['{"block_hash":"0xb","block":7}', '{"tokens":["native"],"block_hash":"0xb"}'],
])('a note that was emptied, or is of another program, is refused: %j', async (text) => {
  const path = join(folder, 'held.csv');
  fs.writeFileSync(path, '# block 7, 0xb\nholder\n');
  fs.writeFileSync(`${path}.resume`, text);
  await expect(SnapshotFile.open(path, true)).rejects.toThrow(
    `${path}.resume does not say how ${path} was begun: remove both, and begin again`,
  );
});

const ADDRESS = `0x${'1a'.repeat(20)}`;

it.each([
  [
    'has marks, blank lines and a header of its own',
    `\ufeffwallet;note\r\n\r\n "${ADDRESS}";x\r\n`,
    [ADDRESS],
  ],
  ['is one of ours', `# block 7, 0xb\nholder,balance,amount,error\n${ADDRESS},1,1,\n`, [ADDRESS]],
  ['begins with an address in upper case', `${ADDRESS.toUpperCase()}\n`, [ADDRESS.toUpperCase()]],
  ['begins with an address without its 0x', `${ADDRESS.slice(2)}\na.eth\n`, [ADDRESS.slice(2), 'a.eth']],
])('a list that %s loses no holder', async (_which, text, expected) => {
  expect(await Array.fromAsync(readHolders(Readable.from([text])))).toEqual(expected);
});

it('a list that changes between its two readings is refused', async () => {
  const path = join(folder, 'list.txt');
  fs.writeFileSync(path, 'a.eth\nb.eth\n');
  const counted = await countHolders(path);
  expect(await Array.fromAsync(readCounted(path, counted, 1))).toEqual(['b.eth']);
  fs.appendFileSync(path, 'c.eth\n');
  await expect(Array.fromAsync(readCounted(path, counted, 1))).rejects.toThrow('has other holders');
});
