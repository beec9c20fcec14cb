import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteList } from './adapters/sqlite-list.ts';
import { networkIn } from './adapters/sqlite-network.ts';
import { TOKEN_MIGRATIONS } from './adapters/sqlite-schema.ts';
import type { TokenStoreSettings } from './open-index.ts';
import type { TokenList } from './ports.ts';

export interface StoredIndex {
  /** Its file, or `MongoDB`. */
  readonly store: string;
  readonly network: string;
  readonly list: TokenList;
}

/** Opens all lists that a store has, of every network, to be read. */
export async function readStoredIndexes(
  { dataDir, mongodbUrl }: Pick<TokenStoreSettings, 'dataDir' | 'mongodbUrl'>,
  lifecycle: Lifecycle,
): Promise<readonly StoredIndex[]> {
  if (mongodbUrl !== undefined) return readOnMongodb(mongodbUrl, lifecycle);
  const files = existsSync(dataDir) ? readdirSync(dataDir).sort() : [];
  return files
    .filter((file) => /^tokens(-[a-z0-9-]+)?\.db$/.test(file))
    .map((store) => {
      const database = openSqlite(join(dataDir, store), TOKEN_MIGRATIONS);
      lifecycle.onStop('token index (SQLite)', () => database.close());
      return { store, network: networkIn(database)?.name ?? 'none yet', list: createSqliteList(database) };
    });
}

async function readOnMongodb(url: string, lifecycle: Lifecycle): Promise<readonly StoredIndex[]> {
  const { openMongodb } = await import('@hindsight/stores/mongodb.ts');
  const { collectionsOf, networkOf } = await import('./adapters/mongodb-documents.ts');
  const { createMongodbList } = await import('./adapters/mongodb-list.ts');
  const store = await openMongodb({ url, appName: 'hindsight-admin' }, [], lifecycle);
  const found = await store.run((db) => db.listCollections({}, { nameOnly: true }).toArray());
  const networks = found.map(({ name }) => networkOf(name)).filter((network) => network !== null);
  return networks.sort().map((network) => ({
    store: 'MongoDB',
    network,
    list: createMongodbList(store, collectionsOf(network)),
  }));
}
