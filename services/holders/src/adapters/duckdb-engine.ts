/** DuckDB in this process. Its library is loaded, and its file opened, when it is first used. */
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { DuckDBAppender, DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { IndexSize } from '../ports.ts';

export interface DuckdbBounds {
  /** Mebibytes that its buffers may take; beyond them it uses the disk. */
  readonly memoryMb: number;
  readonly threads: number;
}

export interface DuckdbSchema {
  /** Statements that create missing tables. */
  readonly tables: string;
  /** Runs each time the file is opened, after its tables exist. If it throws, the file is closed again. */
  readonly check?: (session: DuckdbSession, path: string) => Promise<void>;
}

type Values = readonly DuckDBValue[] | Readonly<Record<string, DuckDBValue>>;
type Row = readonly (string | null)[];

/** A connection; a statement of it that fails has the instance opened again. */
export class DuckdbSession {
  readonly #connection: DuckDBConnection;
  readonly #onFault: () => void;

  constructor(connection: DuckDBConnection, onFault: () => void) {
    this.#connection = connection;
    this.#onFault = onFault;
  }

  /** @throws {StoreUnavailable} */
  async run(sql: string, values?: Values): Promise<void> {
    await this.#try(() => this.#connection.run(sql, toMutable(values)));
  }

  /** @throws {StoreUnavailable} */
  read(sql: string, values?: Values): Promise<readonly Row[]> {
    return this.#try(
      async () => (await this.#connection.runAndReadAll(sql, toMutable(values))).getRowsJson() as Row[],
    );
  }

  /** Rows part by part, as they are computed. @throws {StoreUnavailable} */
  async *stream(sql: string, values?: Values): AsyncGenerator<readonly (readonly DuckDBValue[])[]> {
    const result = await this.#try(() => this.#connection.stream(sql, toMutable(values)));
    const parts = result.yieldRows();
    for (
      let part = await this.#try(() => parts.next());
      !part.done;
      part = await this.#try(() => parts.next())
    )
      yield part.value;
  }

  /** Appends rows to a table; they are in it once `work` has resolved. @throws {StoreUnavailable} */
  async append(table: string, work: (appender: DuckDBAppender) => Promise<void>): Promise<void> {
    await this.#try(async () => {
      const appender = await this.#connection.createAppender(table);
      try {
        await work(appender);
        appender.flushSync();
      } finally {
        appender.closeSync();
      }
    });
  }

  async #try<T>(statement: () => Promise<T>): Promise<T> {
    try {
      return await statement();
    } catch (cause) {
      this.#onFault();
      throw unavailable(cause);
    }
  }
}

/** A file of the index, open in this process alone. */
export class DuckdbEngine {
  readonly path: string;
  readonly #bounds: DuckdbBounds;
  readonly #schema: DuckdbSchema;
  #instance: Promise<DuckDBInstance> | undefined;
  /** A statement has failed: after some faults, of a disk for instance, the instance refuses all others. */
  #isFaulty = false;
  #sessions = 0;
  #closing: Promise<void> | undefined;
  #isIdle: (() => void) | undefined;

  constructor(path: string, bounds: DuckdbBounds, schema: DuckdbSchema) {
    this.path = path;
    this.#bounds = bounds;
    this.#schema = schema;
  }

  /** Lends a session, which ends with the work. @throws {StoreUnavailable} */
  async use<T>(work: (session: DuckdbSession) => Promise<T>): Promise<T> {
    const connection = await this.#connect();
    try {
      return await work(this.#sessionOn(connection));
    } finally {
      this.#release(connection);
    }
  }

  /** As `use`, for what is read part by part. @throws {StoreUnavailable} */
  async *stream<T>(work: (session: DuckdbSession) => AsyncIterable<T>): AsyncGenerator<T> {
    const connection = await this.#connect();
    try {
      yield* work(this.#sessionOn(connection));
    } finally {
      this.#release(connection);
    }
  }

  #sessionOn(connection: DuckDBConnection): DuckdbSession {
    return new DuckdbSession(connection, () => (this.#isFaulty = true));
  }

  async #connect(): Promise<DuckDBConnection> {
    // One file must never be open twice: its lock does not hold within a process.
    while (this.#isFaulty || this.#closing !== undefined) await (this.#closing ??= this.#closeOnceIdle());
    this.#sessions += 1;
    this.#instance ??= this.#open();
    const opening = this.#instance;
    try {
      return await (await opening).connect();
    } catch (cause) {
      // The next call tries again: the file may be another process's until that one ends.
      if (this.#instance === opening) this.#isFaulty = true;
      this.#ended();
      throw unavailable(cause);
    }
  }

  #release(connection: DuckDBConnection): void {
    connection.closeSync();
    this.#ended();
  }

  #ended(): void {
    this.#sessions -= 1;
    if (this.#sessions === 0) this.#isIdle?.();
  }

  async #closeOnceIdle(): Promise<void> {
    if (this.#sessions > 0) await new Promise<void>((done) => (this.#isIdle = done));
    this.#isIdle = undefined;
    await this.close();
    this.#isFaulty = false;
    this.#closing = undefined;
  }

  async #open(): Promise<DuckDBInstance> {
    const { DuckDBInstance: Instance } = await import('@duckdb/node-api');
    const { memoryMb, threads } = this.#bounds;
    const options = { memory_limit: `${memoryMb}MiB`, threads: String(threads) };
    const instance = await Instance.create(this.path, options);
    try {
      const connection = await instance.connect();
      const { tables, check } = this.#schema;
      await connection.run(tables);
      await check?.(this.#sessionOn(connection), this.path);
      connection.closeSync();
      return instance;
    } catch (error) {
      // The next call opens the file again; it must not be open twice.
      instance.closeSync();
      throw error;
    }
  }

  /** The rows in it, its used blocks, and the room on its disk. @throws {StoreUnavailable} */
  async size(): Promise<IndexSize> {
    const rows = await this.use((session) =>
      session.read('SELECT (SELECT count(*) FROM touched) + (SELECT count(*) FROM approved)'),
    );
    const used = await this.use((session) =>
      session.read('SELECT block_size * used_blocks, block_size * free_blocks FROM pragma_database_size()'),
    );
    const disk = await statfs(dirname(this.path));
    const [bytes, free] = used[0] ?? [];
    return {
      rows: Number(rows[0]?.[0]),
      bytes: Number(bytes),
      freeBytes: disk.bavail * disk.bsize + Number(free),
    };
  }

  /** Flushes the log into the file, and closes it. */
  async close(): Promise<void> {
    const instance = await this.#instance?.catch(() => undefined);
    this.#instance = undefined;
    instance?.closeSync();
  }
}

function unavailable(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('the index of holders (DuckDB)', cause);
}

/** The library's own types have no readonly. */
function toMutable(values: Values | undefined): DuckDBValue[] | Record<string, DuckDBValue> | undefined {
  return values as DuckDBValue[] | Record<string, DuckDBValue> | undefined;
}
