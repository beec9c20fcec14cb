/** Parquet files, as another program reads them. */
import { DuckDBInstance } from '@duckdb/node-api';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file's columns with their types, and its rows in their order: whole numbers as text. */
export interface ParquetFile {
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly (readonly unknown[])[];
}

/** Reads a file. */
export async function readParquet(bytes: Uint8Array): Promise<ParquetFile> {
  const folder = mkdtempSync(join(tmpdir(), 'parquet-'));
  const path = join(folder, 'file.parquet');
  writeFileSync(path, bytes);
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    const read = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
    const types = read.columnTypes().map(String);
    return {
      columns: Object.fromEntries(read.columnNames().map((name, i) => [name, types[i]!])),
      rows: read.getRowsJson(),
    };
  } finally {
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}
