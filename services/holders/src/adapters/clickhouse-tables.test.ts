/** ClickHouse that cannot be reached, and answers of it that break off. */
import type { ClickHouseClient } from '@clickhouse/client';
import { expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import { connectClickhouse } from './clickhouse-client.ts';
import { Tables } from './clickhouse-tables.ts';

const broken = async function* () {
  yield Buffer.from('PAR1');
  throw new Error('socket hang up');
};
const client = {
  query: async () => ({ stream: broken }),
  exec: async () => ({ stream: broken() }),
} as unknown as ClickHouseClient;

it.each<[string, (store: Tables) => Promise<unknown>]>([
  ['rows', (store) => Array.fromAsync(store.stream('SELECT 1', {}))],
  ['bytes', (store) => text(store.bytes('SELECT 1', {}, {}))],
])('an answer of %s that breaks off says that ClickHouse is unavailable', async (_what, read) => {
  await expect(read(new Tables(client))).rejects.toMatchObject({ name: 'StoreUnavailable' });
});

it.each<[string, (store: Tables) => Promise<unknown>]>([
  ['a question', (store) => store.read('SELECT 1', {})],
  ['an insert', (store) => store.insert('rows', ['a'], { rows: [[1]] })],
  ['a command', (store) => store.command('SELECT 1')],
  ['a file', (store) => text(store.bytes('SELECT 1', {}, {}))],
])('%s that cannot be sent says so too', async (_what, work) => {
  const none = connectClickhouse('http://127.0.0.1:9');
  await expect(work(new Tables(none))).rejects.toMatchObject({ name: 'StoreUnavailable' });
  await none.close();
});
