import { join } from 'node:path';
import type { Lifecycle } from '../lifecycle.ts';
import { openSqlite } from '../stores/sqlite.ts';
import { createSqliteProjects, PROJECT_MIGRATIONS } from './adapters/sqlite.ts';
import { KeyVault } from './key-vault.ts';
import type { ProjectRepository } from './ports.ts';

interface ProjectStore {
  readonly dataDir: string;
  /** `SECRETS_KEY`. */
  readonly secret: string;
}

/** Opens the repository of projects on the store that the settings name. */
export function openProjects({ dataDir, secret }: ProjectStore, lifecycle: Lifecycle): ProjectRepository {
  const database = openSqlite(join(dataDir, 'hindsight.db'), PROJECT_MIGRATIONS);
  lifecycle.onStop('projects (SQLite)', () => database.close());
  return createSqliteProjects(database, new KeyVault(secret));
}
