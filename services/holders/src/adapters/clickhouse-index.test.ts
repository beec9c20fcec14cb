/** Inserts of an index in ClickHouse, as its client gets them. */
import { expect, it } from '@jest/globals';
import type { ClickHouseClient } from '@clickhouse/client';
import { createClickhouseIndex } from './clickhouse-index.ts';
import { clickhouseTables } from './clickhouse-schema.ts';

interface Insert {
  readonly table: string;
  readonly values: readonly unknown[];
  readonly clickhouse_settings: {
    readonly insert_deduplication_token?: string;
    readonly async_insert: number;
    readonly insert_quorum: string;
  };
}

type Command = Pick<Insert, 'clickhouse_settings'> & { readonly query: string };

const TOKEN = `0x${'70'.repeat(20)}`;

it('a range of any size is inserted in parts of 50,000 rows, each known by its place, and its position after them', async () => {
  const inserts: unknown[] = [];
  let position: readonly unknown[] | undefined;
  const client = {
    query: async () => ({ stream: () => (position ? [[{ json: () => position }]] : []) }),
    insert: async ({ table, values, clickhouse_settings: settings }: Insert) => {
      // It is waited for, and by most replicas, whatever the server's own settings are.
      expect(settings).toMatchObject({ async_insert: 0, insert_quorum: 'auto' });
      inserts.push([table, values.length, settings.insert_deduplication_token]);
    },
    command: async ({ query, clickhouse_settings: settings }: Command) => {
      expect(settings).toEqual({ async_insert: 0, insert_quorum: 'auto' });
      inserts.push(/^INSERT INTO (\w+)/.exec(query)?.[1]);
      position = [TOKEN, 5, 6, '0xh'];
    },
  };
  const index = createClickhouseIndex(client as unknown as ClickHouseClient, clickhouseTables('eth-mainnet'));
  const point = { token: TOKEN, holder: TOKEN, id: null, block: 5 };
  const points = Array.from({ length: 50_001 }, () => point);
  const range = { from: 5, to: 6, hash: '0xh', points, approvals: [] };
  expect(await index.append(TOKEN, null, range)).toEqual({ from: 5, number: 6, hash: '0xh' });
  expect(inserts).toEqual([
    ['touched_eth_mainnet', 50_000, `${TOKEN} 5-6 0xh 0`],
    ['touched_eth_mainnet', 1, `${TOKEN} 5-6 0xh 50000`],
    'touched_positions_eth_mainnet',
  ]);
});

it('a track stands in no statement unless it is one', async () => {
  const statements: string[] = [];
  const client = {
    query: async () => ({ stream: () => [] }),
    command: async ({ query }: { query: string }) => void statements.push(query),
  };
  const index = createClickhouseIndex(client as unknown as ClickHouseClient, clickhouseTables('eth-mainnet'));
  await expect(index.remove("*' OR 1")).rejects.toThrow("*' OR 1 is no track");
  expect(statements).toEqual([]);
  await index.remove(TOKEN);
  expect(statements).toHaveLength(2);
});
