/** DuckDB in this process. Its library is loaded, and its file opened, when it is first used. */
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { SCHEMA } from './duckdb-schema.ts';

/** Bounds of the engine in this process. */
export interface DuckdbBounds {
  /** Mebibytes that its buffers may take; beyond them it uses the disk. */
  readonly memoryMb: number;
  readonly threads: number;
}

/** A file of the index, open in this process alone. */
export class DuckdbEngine {
  readonly #path: string;
  readonly #bounds: DuckdbBounds;
  #instance: Promise<DuckDBInstance> | undefined;

  constructor(path: string, bounds: DuckdbBounds) {
    this.#path = path;
    this.#bounds = bounds;
  }

  /** Lends a connection, which is closed after the work. @throws {StoreUnavailable} */
  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await this.connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  }

  /** Opens a connection; the caller closes it. @throws {StoreUnavailable} */
  async connect(): Promise<DuckDBConnection> {
    this.#instance ??= this.#open();
    const opening = this.#instance;
    try {
      return await (await opening).connect();
    } catch (cause) {
      // The next call tries again: the file may be another process's until that one ends.
      if (this.#instance === opening) this.#instance = undefined;
      throw new StoreUnavailable('the index of holders (DuckDB)', cause);
    }
  }

  async #open(): Promise<DuckDBInstance> {
    const { DuckDBInstance: Instance } = await import('@duckdb/node-api');
    const { memoryMb, threads } = this.#bounds;
    const options = { memory_limit: `${memoryMb}MiB`, threads: String(threads) };
    const instance = await Instance.create(this.#path, options);
    const connection = await instance.connect();
    await connection.run(SCHEMA);
    connection.closeSync();
    return instance;
  }

  /** Flushes the log into the file, and closes it. */
  async close(): Promise<void> {
    const instance = await this.#instance?.catch(() => undefined);
    this.#instance = undefined;
    instance?.closeSync();
  }
}
