/** The version of an index in ClickHouse. */
import type { ClickHouseClient } from '@clickhouse/client';
import { INDEX_VERSION, refuseOtherVersion } from '../domain/index-version.ts';
import type { ClickhouseTables } from './clickhouse-schema.ts';
import { Tables } from './clickhouse-tables.ts';

/** Refuses tables of another version, and records this one in tables without any. @throws {OtherIndexVersion} */
export async function checkClickhouseVersion(
  client: ClickHouseClient,
  { versions, positions, touched, approved }: ClickhouseTables,
): Promise<void> {
  const store = new Tables(client);
  const [noted] = await store.read(`SELECT number FROM ${versions} ORDER BY number DESC LIMIT 1`, {});
  const walked = await store.read(`SELECT 1 FROM ${positions} LIMIT 1`, {});
  const version = noted === undefined ? null : Number(noted[0]);
  const kept = `the tables ${touched}, ${approved}, ${positions} and ${versions}`;
  refuseOtherVersion({ version, isEmpty: walked.length === 0 }, kept);
  if (version === null) await store.insert(versions, ['number'], { rows: [[INDEX_VERSION]] });
}
