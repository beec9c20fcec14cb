/** Answers of ClickHouse that break off. */
import type { ClickHouseClient } from '@clickhouse/client';
import { expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
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
