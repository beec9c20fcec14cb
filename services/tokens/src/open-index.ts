import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { join } from 'node:path';
import { createSqliteIndex } from './adapters/sqlite-index.ts';
import { TOKEN_MIGRATIONS } from './adapters/sqlite-schema.ts';
import type { TokenIndex } from './ports.ts';

/** Where the index is kept. */
export interface TokenStoreSettings {
  /** The folder of the embedded database; a file of its own there, since it can be made again from the chain. */
  readonly dataDir: string;
  /** The file's name, where the folder has the indexes of several chains. */
  readonly file?: string;
  /** Where MongoDB is; the embedded database is used when not given. */
  readonly mongodbUrl?: string | undefined;
  /** Where the commands of MongoDB are measured. */
  readonly telemetry?: Telemetry | undefined;
}

/** Opens the index on the store that the settings name. */
export async function openTokenIndex(
  { dataDir, file = 'tokens.db', mongodbUrl, telemetry }: TokenStoreSettings,
  lifecycle: Lifecycle,
): Promise<TokenIndex> {
  if (mongodbUrl !== undefined) return openOnMongodb({ url: mongodbUrl, telemetry }, lifecycle);
  const database = openSqlite(join(dataDir, file), TOKEN_MIGRATIONS);
  lifecycle.onStop('token index (SQLite)', () => database.close());
  return createSqliteIndex(database);
}

/** The driver is loaded only when it is needed: the embedded installation starts without it. */
async function openOnMongodb(
  settings: { readonly url: string; readonly telemetry: Telemetry | undefined },
  lifecycle: Lifecycle,
): Promise<TokenIndex> {
  const { openMongodb } = await import('@hindsight/stores/mongodb.ts');
  const { TOKEN_INDEXES } = await import('./adapters/mongodb-documents.ts');
  const { createMongodbIndex } = await import('./adapters/mongodb-index.ts');
  return createMongodbIndex(
    await openMongodb({ ...settings, appName: 'hindsight-tokens' }, TOKEN_INDEXES, lifecycle),
  );
}
