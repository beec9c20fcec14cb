/** Parquet files by ClickHouse: rows go into a table, one partition a file, and come back in that format. */
import { randomUUID } from 'node:crypto';
import type { ExportedRows } from '../ports.ts';
import type { Tables } from './clickhouse-tables.ts';

const SETTINGS = {
  // A fault in the middle is an error, not the end of half a file.
  wait_end_of_query: 1,
  output_format_parquet_string_as_string: 1,
  output_format_parquet_compression_method: 'zstd',
  output_format_parquet_row_group_size: '20480',
  // The nearest number, as other engines have it; older servers read another one by default.
  precise_float_parsing: 1,
} as const;
const COLUMNS = ['export', 'place', 'holder', 'balance', 'error'];

/** Makes a file. @throws {StoreUnavailable} */
export async function* toParquet(
  store: Tables,
  exports: string,
  { block, parts }: ExportedRows,
): AsyncGenerator<Uint8Array, void> {
  const name = randomUUID();
  let place = 0;
  try {
    for await (const part of parts) {
      if (part.length === 0) continue;
      const rows = part.map(({ holder, balance, error }) => [name, (place += 1), holder, balance, error]);
      await store.insert(exports, COLUMNS, { rows });
    }
    const sql = `SELECT holder, balance, toFloat64OrNull(balance) AS balance_float, {block: Int64} AS block, error
      FROM ${exports} WHERE export = {name: String} ORDER BY place FORMAT Parquet`;
    yield* store.bytes(sql, { name, block }, SETTINGS);
  } finally {
    // Rows that stay because ClickHouse is unavailable expire with their age.
    await store.command(`ALTER TABLE ${exports} DROP PARTITION '${name}'`).catch(() => undefined);
  }
}
