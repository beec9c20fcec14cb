import { join } from 'node:path';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { StorePlace } from '@hindsight/stores/place.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { createSqliteAlerts } from './adapters/sqlite/alerts.ts';
import { createSqliteProgress } from './adapters/sqlite/progress.ts';
import { createSqliteUsage } from './adapters/sqlite/store.ts';
import { USAGE_MIGRATIONS } from './adapters/sqlite/schema.ts';
import type { AlertStore } from './alerts/ports.ts';
import type { CountedRecords } from './counters/ports.ts';
import type { CountingProcesses, CountingProgress } from './counting/ports.ts';
import type { UsageStore } from './ports.ts';

export interface OpenUsage {
  readonly usage: UsageStore;
  readonly alerts: AlertStore;
  readonly progress: CountingProgress;
  readonly check: ReadinessCheck;
  /** Source of copies of the counters; only where machines share the ledger. */
  readonly records?: CountedRecords;
  /** The processes that count; only where there may be several. */
  readonly processes?: CountingProcesses;
}

/** Opens usage: in MongoDB where it is set, else in the embedded database. Closed with the lifecycle. */
export async function openUsage(settings: StorePlace, lifecycle: Lifecycle): Promise<OpenUsage> {
  if (settings.mongodbUrl !== undefined) {
    // The driver is loaded only where it is wanted.
    const { openMongodb } = await import('@hindsight/stores/mongodb.ts');
    const { createMongodbUsage } = await import('./adapters/mongodb/store.ts');
    const { runOn, USAGE_INDEXES } = await import('./adapters/mongodb/documents.ts');
    const { createCountedRecords } = await import('./adapters/mongodb/counters.ts');
    const { createMongodbProgress } = await import('./adapters/mongodb/progress.ts');
    const { createCountingProcesses } = await import('./adapters/mongodb/processes.ts');
    const { mongodbUrl: url, telemetry } = settings;
    const store = await openMongodb({ url, telemetry }, USAGE_INDEXES, lifecycle);
    const { createMongodbAlerts } = await import('./adapters/mongodb/alerts.ts');
    const run = runOn(store);
    return {
      usage: createMongodbUsage(store),
      alerts: createMongodbAlerts(run),
      progress: createMongodbProgress(run),
      check: store.check,
      records: createCountedRecords(run),
      processes: createCountingProcesses(run),
    };
  }
  const database = openSqlite(join(settings.dataDir, 'usage.db'), USAGE_MIGRATIONS);
  lifecycle.onStop('usage (SQLite)', () => database.close());
  const check = async (): Promise<string> => (database.prepare('SELECT 1').get(), 'answers');
  return {
    usage: createSqliteUsage(database),
    alerts: createSqliteAlerts(database),
    progress: createSqliteProgress(database),
    check: { name: 'usage (SQLite)', check },
  };
}
