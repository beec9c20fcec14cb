/** A file by ClickHouse: its rows come and go in a partition of their own. */
import { expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import type { ExportRow } from '../ports.ts';
import { toParquet } from './clickhouse-parquet.ts';
import type { Tables } from './clickhouse-tables.ts';

const row = (holder: string): ExportRow => ({ holder, balance: '5', error: null });

/** A store that has each statement in a line. */
function storeOf(drop: () => Promise<void>) {
  const lines: string[] = [];
  const store = {
    async insert(table: string, _columns: unknown, { rows }: { rows: readonly unknown[][] }) {
      lines.push(
        `${table} ${rows.map(([, place, holder]) => `${String(place)} ${String(holder)}`).join(', ')}`,
      );
    },
    async *bytes(sql: string, _values: unknown, settings: object) {
      expect(sql).toMatch(/ORDER BY place FORMAT Parquet$/);
      // A fault in the middle is then an error, and a number the nearest one whatever the server's default.
      expect(settings).toMatchObject({ wait_end_of_query: 1, precise_float_parsing: 1 });
      yield Buffer.from('PAR1');
    },
    command: (sql: string) => (lines.push(sql.replace(/'.*'/, 'it')), drop()),
  };
  return { store: store as unknown as Tables, lines };
}

const parts = async function* (): AsyncGenerator<readonly ExportRow[]> {
  yield* [[row('0xa'), row('0xb')], [], [row('0xc')]];
};
const LINES = ['exports 1 0xa, 2 0xb', 'exports 3 0xc', 'ALTER TABLE exports DROP PARTITION it'];

it('has its rows in their order, and leaves none', async () => {
  const { store, lines } = storeOf(async () => undefined);
  expect(await text(toParquet(store, 'exports', { block: 9, parts: parts() }))).toBe('PAR1');
  expect(lines).toEqual(LINES);
});

it('is whole though its rows cannot be removed, which expire', async () => {
  const { store, lines } = storeOf(() => Promise.reject(new Error('unavailable')));
  expect(await text(toParquet(store, 'exports', { block: 9, parts: parts() }))).toBe('PAR1');
  expect(lines).toEqual(LINES);
});

it('leaves no rows where its rows break off', async () => {
  const { store, lines } = storeOf(async () => undefined);
  const broken = async function* (): AsyncGenerator<readonly ExportRow[]> {
    yield [row('0xa')];
    throw new Error('no more balances');
  };
  await expect(text(toParquet(store, 'exports', { block: 9, parts: broken() }))).rejects.toThrow('no more');
  expect(lines).toEqual(['exports 1 0xa', LINES[2]]);
});
