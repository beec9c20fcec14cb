import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import type { StorePlace } from '@hindsight/stores/place.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { join } from 'node:path';
import { markSqlite } from './adapters/sqlite-network.ts';
import { createSqliteIndex } from './adapters/sqlite-index.ts';
import { TOKEN_MIGRATIONS } from './adapters/sqlite-schema.ts';
import type { TokenIndex } from './ports.ts';

/** Selects the store of indexes. Embedded, there is one file for each network, since each can be made again from the chain. */
export interface TokenStoreSettings extends StorePlace {
  /** The file of a network; by default `indexFileOf`. */
  readonly fileOf?: (network: Network) => string;
}

/** The embedded file of a network's index. Mainnet's has the released name. */
export function indexFileOf({ name }: Network): string {
  return name === ETH_MAINNET.name ? 'tokens.db' : `tokens-${name}.db`;
}

/**
 * Opens the index of each network, by the network's name, on the store that the settings name.
 * @throws {Error} if a store has the index of another network
 */
export async function openTokenIndexes(
  networks: readonly Network[],
  settings: TokenStoreSettings,
  lifecycle: Lifecycle,
): Promise<ReadonlyMap<string, TokenIndex>> {
  const { dataDir, fileOf = indexFileOf, mongodbUrl: url, telemetry } = settings;
  if (url !== undefined) return openOnMongodb(networks, { url, telemetry }, lifecycle);
  return new Map(
    networks.map((network) => [network.name, openFile(join(dataDir, fileOf(network)), network, lifecycle)]),
  );
}

/** Opens the index of one network. @throws {Error} if the store has another's */
export async function openTokenIndex(
  network: Network,
  settings: TokenStoreSettings,
  lifecycle: Lifecycle,
): Promise<TokenIndex> {
  const indexes = await openTokenIndexes([network], settings, lifecycle);
  const [index] = [...indexes.values()] as [TokenIndex];
  return index;
}

function openFile(path: string, network: Network, lifecycle: Lifecycle): TokenIndex {
  const database = openSqlite(path, TOKEN_MIGRATIONS);
  lifecycle.onStop('token index (SQLite)', () => database.close());
  markSqlite(database, network);
  return createSqliteIndex(database);
}

/** The driver is loaded only when it is needed: the embedded installation starts without it. */
async function openOnMongodb(
  networks: readonly Network[],
  settings: { readonly url: string; readonly telemetry: Telemetry | undefined },
  lifecycle: Lifecycle,
): Promise<ReadonlyMap<string, TokenIndex>> {
  const { openMongodb } = await import('@hindsight/stores/mongodb.ts');
  const { collectionsOf, indexesOf } = await import('./adapters/mongodb-documents.ts');
  const { createMongodbIndex, markMongodb } = await import('./adapters/mongodb-index.ts');
  const opened = networks.map((network) => ({ network, collections: collectionsOf(network.name) }));
  const indexes = opened.flatMap(({ collections }) => indexesOf(collections));
  const store = await openMongodb({ ...settings, appName: 'hindsight-tokens' }, indexes, lifecycle);
  await Promise.all(opened.map(({ network, collections }) => markMongodb(store, collections, network)));
  return new Map(
    opened.map(({ network, collections }) => [network.name, createMongodbIndex(store, collections)]),
  );
}
