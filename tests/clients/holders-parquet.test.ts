/** Parquet files of a list of holders that is too long for one. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Client } from '@hindsight/client';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Context } from '../../clients/cli/src/context.ts';
import { toParquet } from '../../clients/cli/src/holders-parquet.ts';

const TOKEN = `0x${'1a'.repeat(20)}`;
const NEXT = `0x${'2b'.repeat(20)}`;
const FACTS = { token_decimals: 0, block_hash: '0xb', checked_at_block: 7, holders: 2, errors: 0, sum: '5' };
const { signal } = new AbortController();
const stream = () => new PassThrough().resume();
const context: Context = { env: {}, stdin: stream(), stdout: stream(), stderr: stream(), signal };

let folder: string;
let asked: unknown[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parquet-'));
  asked = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes two files. @param end comes behind the bytes of the second @param secondFrom where the index begins by then */
async function write(end: () => void, secondFrom = 0): Promise<void> {
  const file = async (question: unknown) => {
    const isFirst = asked.push(question) === 1;
    const index = { complete: true, from_block: isFirst ? 0 : secondFrom };
    const facts = { ...FACTS, index, total_supply: null, next: isFirst ? NEXT : null };
    const bytes = async function* () {
      yield Buffer.from(isFirst ? 'one' : 'two');
      if (!isFirst) end();
    };
    return { facts, bytes: bytes() };
  };
  const client = { holders: { file } } as unknown as Client;
  await toParquet(
    context,
    client,
    { token: TOKEN, date: '2023-08-26', signal },
    join(folder, 'held.parquet'),
  );
}

it('are of one block, each from where the one before it ends', async () => {
  await write(() => undefined);
  const [first, second] = ['held.parquet', 'held-2.parquet'].map((name) =>
    String(readFileSync(join(folder, name))),
  );
  expect([first, second]).toEqual(['one', 'two']);
  expect(asked).toEqual([
    { token: TOKEN, date: '2023-08-26', signal },
    { token: TOKEN, blockHash: '0xb', after: NEXT, signal },
  ]);
});

it('leave nothing of one that was interrupted', async () => {
  const cut = new Error('cut');
  await expect(
    write(() => {
      throw cut;
    }),
  ).rejects.toBe(cut);
  expect(readdirSync(folder)).toEqual(['held.parquet']);
});

it('are of one index', async () => {
  await expect(write(() => undefined, 5)).rejects.toThrow('begins at block 5 now, and began at block 0');
  expect(readdirSync(folder)).toEqual(['held.parquet']);
});

it.each([
  ['held-2.parquet', 0, ['held-2.parquet']],
  ['held-3.parquet', 1, ['held-3.parquet', 'held.parquet']],
])('do not come to stand beside a part of another list: %s', async (name, requests, files) => {
  writeFileSync(join(folder, name), 'of another list');
  await expect(write(() => undefined)).rejects.toThrow(`${name} exists; remove it`);
  expect([asked.length, readdirSync(folder).sort()]).toEqual([requests, files]);
});
