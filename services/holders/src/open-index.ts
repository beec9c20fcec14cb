import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import { ensureFolder } from '@hindsight/kernel/ensure-folder.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { join } from 'node:path';
import { createDuckdbIndex } from './adapters/duckdb-index.ts';
import { DuckdbEngine, type DuckdbBounds } from './adapters/duckdb-engine.ts';
import { withoutLeftovers } from './adapters/duckdb-parquet.ts';
import { SCHEMA } from './adapters/duckdb-schema.ts';
import { onceThere } from './once-there.ts';
import type { HolderIndex } from './ports.ts';

export interface HolderStoreSettings {
  /** The folder of the embedded engine's files, one a network; each can be made again from the chain. */
  readonly dataDir: string;
  /** The file of a network; `holders.duckdb` of mainnet, `holders-<network>.duckdb` of any other when not given. */
  readonly fileOf?: (network: Network) => string;
  /** The URL of ClickHouse; without it, the embedded engine is used. */
  readonly clickhouseUrl?: string | undefined;
  readonly bounds: DuckdbBounds;
}

/**
 * Opens the index of a network. The embedded engine is loaded when it is first used; only then is a file of another version
 * refused, as an unavailable store.
 * @throws {OtherIndexVersion} if the tables in ClickHouse are of another version
 */
export async function openHolderIndex(
  network: Network,
  { dataDir, fileOf = indexFileOf, clickhouseUrl, bounds }: HolderStoreSettings,
  lifecycle: Lifecycle,
): Promise<HolderIndex> {
  if (clickhouseUrl !== undefined) return openOnClickhouse(network, clickhouseUrl, lifecycle);
  ensureFolder(dataDir);
  const engine = new DuckdbEngine(join(dataDir, fileOf(network)), bounds, withoutLeftovers(SCHEMA));
  lifecycle.onStop(`index of holders of ${network.name} (DuckDB)`, () => engine.close());
  return createDuckdbIndex(engine);
}

function indexFileOf({ name }: Network): string {
  return name === ETH_MAINNET.name ? 'holders.duckdb' : `holders-${name}.duckdb`;
}

/** Its client is loaded only when it is needed. */
async function openOnClickhouse(network: Network, url: string, lifecycle: Lifecycle): Promise<HolderIndex> {
  const { connectClickhouse } = await import('./adapters/clickhouse-client.ts');
  const { clickhouseSchema, clickhouseTables } = await import('./adapters/clickhouse-schema.ts');
  const { checkClickhouseVersion } = await import('./adapters/clickhouse-version.ts');
  const { createClickhouseIndex } = await import('./adapters/clickhouse-index.ts');
  const client = connectClickhouse(url);
  lifecycle.onStop('index of holders (ClickHouse)', () => client.close());
  const tables = clickhouseTables(network.name);
  await onceThere(async () => {
    for (const query of clickhouseSchema(tables)) await client.command({ query });
    await checkClickhouseVersion(client, tables);
  });
  return createClickhouseIndex(client, tables);
}
