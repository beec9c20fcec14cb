import type { Migration } from '@hindsight/stores/sqlite.ts';

export const PROJECT_MIGRATIONS: readonly Migration[] = [
  {
    id: 'projects-1',
    sql: `
      CREATE TABLE project (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        plan TEXT NOT NULL,
        monthly_limit INTEGER,
        rate INTEGER,
        demo INTEGER NOT NULL,
        status TEXT NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE project_key (
        key_index TEXT PRIMARY KEY,
        sealed_key TEXT NOT NULL,
        project_id TEXT NOT NULL REFERENCES project (id)
      ) STRICT;
      CREATE INDEX project_key_by_project ON project_key (project_id);
      CREATE UNIQUE INDEX one_demo_project ON project (demo) WHERE demo = 1;`,
  },
  {
    id: 'projects-2',
    sql: `
      ALTER TABLE project ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
      CREATE INDEX project_by_creation ON project (created_at, id);
      ALTER TABLE project_key ADD COLUMN expires_at INTEGER;
      CREATE INDEX project_key_by_end ON project_key (expires_at) WHERE expires_at IS NOT NULL;
      CREATE TABLE project_outbox (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        project_id TEXT NOT NULL,
        change TEXT NOT NULL,
        at INTEGER NOT NULL,
        claimed_by TEXT,
        claimed_until INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX project_outbox_by_project ON project_outbox (project_id, position);`,
  },
  {
    id: 'projects-3',
    sql: `
      ALTER TABLE project ADD COLUMN owner_id TEXT;
      CREATE INDEX project_by_owner ON project (owner_id, created_at, id) WHERE owner_id IS NOT NULL;
      CREATE TABLE project_audit (
        id TEXT PRIMARY KEY,
        project_id TEXT NOT NULL,
        at INTEGER NOT NULL,
        action TEXT NOT NULL,
        user_id TEXT,
        address TEXT,
        detail TEXT
      ) STRICT;
      CREATE INDEX project_audit_by_project ON project_audit (project_id, at, id);
      CREATE INDEX project_audit_by_time ON project_audit (at);`,
  },
  {
    // Keys without their secrets are JSON: nothing is looked up by it, and it is read and written with the project.
    id: 'projects-4',
    sql: `
      ALTER TABLE project ADD COLUMN key_settings TEXT;
      ALTER TABLE project_key ADD COLUMN key_id TEXT NOT NULL DEFAULT 'default';
      CREATE TABLE project_key_use (
        project_id TEXT NOT NULL,
        key_id TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (project_id, key_id)
      ) STRICT, WITHOUT ROWID;`,
  },
];
