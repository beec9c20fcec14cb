import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { StorePlace } from '@hindsight/stores/place.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { createSqliteAudit } from './adapters/sqlite-audit.ts';
import { createSqliteOutbox } from './adapters/sqlite-outbox.ts';
import { PROJECT_MIGRATIONS } from './adapters/sqlite-schema.ts';
import { createSqliteProjects } from './adapters/sqlite.ts';
import { planChangedAt, type AuditLog, type AuditStore } from './audit.ts';
import { KeyVault } from './key-vault.ts';
import type { ProjectRepository } from './ports.ts';
import { createProjectRepository } from './repository.ts';
import type { Outbox } from './store.ts';

interface ProjectSettings extends Omit<StorePlace, 'telemetry'> {
  /** `SECRETS_KEY`. */
  readonly secret: string;
  /** `SECRETS_KEY_PREVIOUS`, newest first. */
  readonly previousSecrets?: readonly string[] | undefined;
}

type Deps = Omit<Platform, 'logger'>;

export interface OpenProjects {
  readonly projects: ProjectRepository;
  /** Who looked at keys and changed projects. */
  readonly audit: AuditLog & Pick<AuditStore, 'removeBefore'>;
  /** Source of a relay (`outbox-relay.ts`). */
  readonly outbox: Outbox;
  /** For `/readyz`. */
  readonly check: ReadinessCheck;
}

/**
 * Opens projects: on MongoDB where it is set, else in the embedded database. Migrates the schema or the
 * indexes.
 */
export async function openProjects(settings: ProjectSettings, deps: Deps): Promise<OpenProjects> {
  const { store, audit, outbox, check } =
    settings.mongodbUrl === undefined
      ? openEmbedded(settings.dataDir, deps.lifecycle)
      : await openOnMongodb(settings.mongodbUrl, deps);
  const vault = new KeyVault(settings.secret, settings.previousSecrets);
  return { projects: createProjectRepository({ store, audit, vault, ...deps }), audit, outbox, check };
}

/** True if the embedded store in a folder has keys. Creates no store. */
export function hasStoredKeys(dataDir: string): boolean {
  const path = join(dataDir, 'hindsight.db');
  if (!existsSync(path)) return false;
  const database = openSqlite(path, PROJECT_MIGRATIONS);
  try {
    return database.prepare('SELECT 1 FROM project_key LIMIT 1').get() !== undefined;
  } finally {
    database.close();
  }
}

/** Opens projects for a process that only reads their plans: it needs no secret, and sees no key. */
export async function openProjectTerms(
  { dataDir, mongodbUrl }: Omit<StorePlace, 'telemetry'>,
  lifecycle: Lifecycle,
): Promise<Pick<ProjectRepository, 'findById' | 'planChangedAt'>> {
  const { store, audit } =
    mongodbUrl === undefined
      ? openEmbedded(dataDir, lifecycle)
      : await openOnMongodb(mongodbUrl, { lifecycle });
  return {
    findById: async (id) => (await store.read(id))?.project ?? null,
    planChangedAt: (id, since) => planChangedAt(audit, id, since),
  };
}

function openEmbedded(dataDir: string, lifecycle: Lifecycle) {
  const database = openSqlite(join(dataDir, 'hindsight.db'), PROJECT_MIGRATIONS);
  lifecycle.onStop('projects (SQLite)', () => database.close());
  return {
    store: createSqliteProjects(database),
    audit: createSqliteAudit(database),
    outbox: createSqliteOutbox(database),
    check: { name: 'SQLite', check: async () => (database.prepare('SELECT 1').get(), 'answers') },
  };
}

/** The driver is loaded only when needed: the embedded installation starts without it. */
async function openOnMongodb(url: string, { lifecycle, telemetry }: Pick<Deps, 'lifecycle' | 'telemetry'>) {
  const { openMongodb } = await import('@hindsight/stores/mongodb.ts');
  const { PROJECT_INDEXES } = await import('./adapters/mongodb-document.ts');
  const { createMongodbProjects } = await import('./adapters/mongodb.ts');
  const { createMongodbOutbox } = await import('./adapters/mongodb-outbox.ts');
  const { AUDIT_INDEXES, createMongodbAudit } = await import('./adapters/mongodb-audit.ts');
  const store = await openMongodb({ url, telemetry }, [...PROJECT_INDEXES, ...AUDIT_INDEXES], lifecycle);
  return {
    store: createMongodbProjects(store),
    audit: createMongodbAudit(store),
    outbox: createMongodbOutbox(store),
    check: store.check,
  };
}
