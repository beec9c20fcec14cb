import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Ids } from '@hindsight/kernel/ids.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import type { StorePlace } from '@hindsight/stores/place.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { join } from 'node:path';
import type { OrderStores } from '../ports.ts';
import { groupCommit } from './group-commit.ts';
import { createSqliteOrders } from './sqlite-orders.ts';
import { createSqliteOutbox, createSqlitePublished } from './sqlite-outbox.ts';
import { ORDER_MIGRATIONS } from './sqlite-schema.ts';
import { createSqlitePending } from './sqlite-pending.ts';
import { createSqliteWatch } from './sqlite-watch.ts';

export interface OrderStoreSettings extends StorePlace {
  /** True for the dev chain: its blocks are not those of the network that it plays, so the search has a position of its own. */
  readonly embedded?: boolean;
}

export interface OpenOrderStores extends OrderStores {
  readonly check: ReadinessCheck;
}

/** Opens the stores: on MongoDB if it is configured, else in a database file for orders only. */
export async function openOrderStores(
  { dataDir, embedded = false, mongodbUrl, telemetry }: OrderStoreSettings,
  { ids, lifecycle }: { readonly ids: Ids; readonly lifecycle: Lifecycle },
): Promise<OpenOrderStores> {
  if (mongodbUrl !== undefined) return openOnMongodb({ url: mongodbUrl, telemetry }, ids, lifecycle);
  const database = openSqlite(join(dataDir, 'orders.db'), ORDER_MIGRATIONS);
  lifecycle.onStop('orders (SQLite)', () => database.close());
  const commit = groupCommit(database);
  return {
    orders: createSqliteOrders(database, commit),
    outbox: createSqliteOutbox(database, ids),
    published: createSqlitePublished(database),
    pending: createSqlitePending(database, commit),
    watch: (network) => createSqliteWatch(database, network, embedded ? 'devchain' : network),
    check: { name: 'orders (SQLite)', check: async () => (database.prepare('SELECT 1').get(), 'answers') },
  };
}

/** The driver is loaded only when it is needed. */
async function openOnMongodb(
  settings: { readonly url: string; readonly telemetry: Telemetry | undefined },
  ids: Ids,
  lifecycle: Lifecycle,
): Promise<OpenOrderStores> {
  const { openMongodb } = await import('@hindsight/stores/mongodb.ts');
  const { ORDER_INDEXES } = await import('./mongodb-documents.ts');
  const { createMongodbOrders } = await import('./mongodb-orders.ts');
  const { createMongodbOutbox, createMongodbPublished } = await import('./mongodb-outbox.ts');
  const { createMongodbPending } = await import('./mongodb-pending.ts');
  const { createMongodbWatch } = await import('./mongodb-watch.ts');
  const store = await openMongodb(settings, ORDER_INDEXES, lifecycle);
  return {
    orders: createMongodbOrders(store),
    outbox: await createMongodbOutbox(store, ids),
    published: createMongodbPublished(store),
    pending: createMongodbPending(store),
    watch: (network) => createMongodbWatch(store, network),
    check: store.check,
  };
}
