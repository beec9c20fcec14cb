/** Statements in ClickHouse. */
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';

type Rows = readonly (readonly unknown[])[];

interface Insert {
  readonly rows: Rows;
  /** An insert with the same token, shortly before, has been this one. */
  readonly deduplicateBy?: string;
}

const DURABLE = {
  async_insert: 0,
  // Most replicas have a range before its position moves, if the operator has made the tables replicated ones.
  insert_quorum: 'auto',
} as const;

/** Runs statements; what goes wrong is thrown as the stores have it. */
export class Tables {
  readonly #client: ClickHouseClient;

  constructor(client: ClickHouseClient) {
    this.#client = client;
  }

  async read(query: string, values: Readonly<Record<string, unknown>>): Promise<Rows> {
    const rows: (readonly unknown[])[] = [];
    for await (const part of this.stream(query, values)) rows.push(...part);
    return rows;
  }

  async *stream(query: string, values: Readonly<Record<string, unknown>>): AsyncGenerator<Rows> {
    const answer = await this.#try(
      this.#client.query({ query, query_params: values, format: 'JSONCompactEachRow' }),
    );
    try {
      for await (const rows of answer.stream<readonly unknown[]>()) yield rows.map((row) => row.json());
    } catch (cause) {
      throw new StoreUnavailable('the index of holders (ClickHouse)', cause);
    }
  }

  /** A time after that of the last row, whatever the clocks of two machines say. */
  async nextTime(table: string): Promise<number> {
    const [row] = await this.read(`SELECT max(at) FROM ${table}`, {});
    return Math.max(Date.now(), Number(row?.[0] ?? 0) + 1);
  }

  async insert(table: string, columns: readonly string[], { rows, deduplicateBy }: Insert): Promise<void> {
    const [first, ...others] = columns as [string, ...string[]];
    await this.#try(
      this.#client.insert({
        table,
        columns: [first, ...others],
        values: rows,
        format: 'JSONCompactEachRow',
        clickhouse_settings: {
          ...DURABLE,
          ...(deduplicateBy === undefined ? {} : { insert_deduplication_token: deduplicateBy }),
        },
      }),
    );
  }

  /** The bytes of an answer, in the format that the query names. */
  async *bytes(
    query: string,
    values: Readonly<Record<string, unknown>>,
    settings: ClickHouseSettings,
  ): AsyncGenerator<Uint8Array, void> {
    const { stream } = await this.#try(
      this.#client.exec({ query, query_params: values, clickhouse_settings: settings }),
    );
    try {
      yield* stream as AsyncIterable<Buffer>;
    } catch (cause) {
      throw new StoreUnavailable('the index of holders (ClickHouse)', cause);
    }
  }

  /** Runs an insert that reads what it adds. */
  async add(query: string, values: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#try(this.#client.command({ query, query_params: values, clickhouse_settings: DURABLE }));
  }

  async command(query: string): Promise<void> {
    await this.#try(this.#client.command({ query }));
  }

  async #try<T>(statement: Promise<T>): Promise<T> {
    try {
      return await statement;
    } catch (cause) {
      throw new StoreUnavailable('the index of holders (ClickHouse)', cause);
    }
  }
}
