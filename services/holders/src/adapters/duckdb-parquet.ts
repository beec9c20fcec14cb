/** Parquet files by DuckDB, each by an engine of its own: a fault of one, of a full disk for instance, harms no other. */
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { ExportedRows, ExportRow } from '../ports.ts';
import { DuckdbEngine, type DuckdbSchema, type DuckdbSession } from './duckdb-engine.ts';

const BOUNDS = { memoryMb: 64, threads: 1 };

const SCHEMA = { tables: 'CREATE TABLE rows (holder VARCHAR, balance VARCHAR, error VARCHAR)' };

/** The folder of files that are being made, for an index in `path`. */
export function exportsFolder(path: string): string {
  return `${path}.exports`;
}

/**
 * Removes what a killed process has left, once the index is this process's: one that still runs has its file open, and its
 * exports under way.
 */
export function withoutLeftovers({ tables, check }: DuckdbSchema): DuckdbSchema {
  let isRemoved = false;
  return {
    tables,
    async check(session, path) {
      await check?.(session, path);
      // The file is opened again after a fault, with exports of this process under way.
      if (!isRemoved) await rm(exportsFolder(path), { recursive: true, force: true });
      isRemoved = true;
    },
  };
}

/** Makes a file in a folder of its own, which goes with it. @throws {StoreUnavailable} */
export async function* toParquet(
  within: string,
  { block, parts }: ExportedRows,
): AsyncGenerator<Uint8Array, void> {
  const folder = await makeFolder(within);
  const engine = new DuckdbEngine(join(folder, 'rows.duckdb'), BOUNDS, SCHEMA);
  const file = join(folder, 'holders.parquet');
  try {
    for await (const rows of parts) await engine.use((session) => append(session, rows));
    await engine.use((session) => session.run(copyTo(file, block)));
    await engine.close();
    yield* createReadStream(file) as AsyncIterable<Buffer>;
  } finally {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeFolder(within: string): Promise<string> {
  try {
    await mkdir(within, { recursive: true });
    return await mkdtemp(join(within, 'export-'));
  } catch (cause) {
    throw new StoreUnavailable('the folder of exports', cause);
  }
}

async function append(session: DuckdbSession, rows: readonly ExportRow[]): Promise<void> {
  await session.append('rows', async (appender) => {
    for (const { holder, balance, error } of rows) {
      for (const text of [holder, balance, error]) {
        if (text === null) appender.appendNull();
        else appender.appendVarchar(text);
      }
      appender.endRow();
    }
  });
}

/** The order of the rows is that in which they came. */
function copyTo(file: string, block: number): string {
  return `COPY (
    SELECT holder, balance, balance::DOUBLE AS balance_float, ${block}::BIGINT AS block, error FROM rows
  ) TO '${file.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)`;
}
