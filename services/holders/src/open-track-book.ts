/** Opens the book in which administration and service meet. */
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteTrackBook } from './adapters/sqlite-track-book.ts';
import { onceThere } from './once-there.ts';
import type { TrackBook } from './ports.ts';

export interface TrackBookSettings {
  readonly dataDir: string;
  readonly clickhouseUrl?: string | undefined;
}

/** A name as in the path, for instance `eth-mainnet`. */
type NetworkName = string;

const MAINNET: NetworkName = 'eth-mainnet';

/** Opens the book of a network. It is made when it is first opened. */
export async function openTrackBook(
  network: NetworkName,
  { dataDir, clickhouseUrl }: TrackBookSettings,
  lifecycle: Lifecycle,
): Promise<TrackBook> {
  if (clickhouseUrl === undefined) return openSqliteTrackBook(join(dataDir, fileOf(network)), lifecycle);
  const { connectClickhouse } = await import('./adapters/clickhouse-client.ts');
  const { clickhouseSchema, clickhouseTables } = await import('./adapters/clickhouse-schema.ts');
  const { createClickhouseTrackBook } = await import('./adapters/clickhouse-track-book.ts');
  const client = connectClickhouse(clickhouseUrl);
  lifecycle.onStop('tracks of the index of holders (ClickHouse)', () => client.close());
  const tables = clickhouseTables(network);
  await onceThere(async () => {
    for (const query of clickhouseSchema(tables)) await client.command({ query });
  });
  return createClickhouseTrackBook(client, tables);
}

export async function storedTrackBooks({
  dataDir,
  clickhouseUrl,
}: TrackBookSettings): Promise<readonly NetworkName[]> {
  if (clickhouseUrl !== undefined) return storedOnClickhouse(clickhouseUrl);
  const files = existsSync(dataDir) ? readdirSync(dataDir).sort() : [];
  return files.flatMap((file) => {
    const [isBook, name = MAINNET] = /^holder-tracks(?:-([a-z\d-]+))?\.db$/.exec(file) ?? [];
    return isBook === undefined ? [] : [name];
  });
}

async function storedOnClickhouse(url: string): Promise<readonly NetworkName[]> {
  const { connectClickhouse } = await import('./adapters/clickhouse-client.ts');
  const { storedNetworks } = await import('./adapters/clickhouse-track-book.ts');
  const client = connectClickhouse(url);
  try {
    return await storedNetworks(client);
  } finally {
    await client.close();
  }
}

function fileOf(network: NetworkName): string {
  return network === MAINNET ? 'holder-tracks.db' : `holder-tracks-${network}.db`;
}
