import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { StorePlace } from '@hindsight/stores/place.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { join } from 'node:path';
import type { AccountStores } from '../ports.ts';
import { createSqliteAccounts } from './sqlite-accounts.ts';
import { ACCOUNT_MIGRATIONS } from './sqlite-schema.ts';
import { createSqliteSessions } from './sqlite-sessions.ts';
import { createSqliteClaims, createSqliteTallies, createSqliteTickets } from './sqlite-tickets.ts';

export interface OpenAccountStores extends AccountStores {
  readonly check: ReadinessCheck;
}

/** Expired rows that are removed per pass. */
const FORGOTTEN = 5_000;

/** Opens the stores: on MongoDB if configured, else in a database file. Several processes may do so at once. */
export async function openAccountStores(
  { dataDir, mongodbUrl, telemetry }: StorePlace,
  lifecycle: Lifecycle,
): Promise<OpenAccountStores> {
  if (mongodbUrl !== undefined) {
    // The driver is loaded only when it is needed.
    const { openMongodb } = await import('@hindsight/stores/mongodb.ts');
    const { ACCOUNT_INDEXES, createMongodbAccountStores } = await import('./mongodb-accounts.ts');
    const store = await openMongodb({ url: mongodbUrl, telemetry }, ACCOUNT_INDEXES, lifecycle);
    return { ...createMongodbAccountStores(store), check: store.check };
  }
  const database = openSqlite(join(dataDir, 'accounts.db'), ACCOUNT_MIGRATIONS);
  lifecycle.onStop('accounts (SQLite)', () => database.close());
  const forget = [
    'DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE expires_at <= ? LIMIT ?)',
    'DELETE FROM ticket WHERE (kind, hash) IN (SELECT kind, hash FROM ticket WHERE expires_at <= ? LIMIT ?)',
    'DELETE FROM tally WHERE (key, ends_at) IN (SELECT key, ends_at FROM tally WHERE ends_at <= ? LIMIT ?)',
    'DELETE FROM claim WHERE key IN (SELECT key FROM claim WHERE expires_at <= ? LIMIT ?)',
  ].map((text) => database.prepare(text));
  return {
    accounts: createSqliteAccounts(database),
    sessions: createSqliteSessions(database),
    tickets: createSqliteTickets(database),
    tallies: createSqliteTallies(database),
    claims: createSqliteClaims(database),
    signOutAll: async () => database.exec('DELETE FROM session; DELETE FROM ticket;'),
    removeExpired: async (now) => forget.forEach((statement) => statement.run(now, FORGOTTEN)),
    check: { name: 'accounts (SQLite)', check: async () => (database.prepare('SELECT 1').get(), 'answers') },
  };
}
