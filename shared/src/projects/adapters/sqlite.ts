import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { inTransaction, type Migration } from '../../stores/sqlite.ts';
import type { KeyVault } from '../key-vault.ts';
import { DuplicateKey, type ProjectRepository } from '../ports.ts';
import type { PlanName, Project } from '../project.ts';

/** The tables of projects and their keys. */
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
];

type Row = Record<string, SQLOutputValue>;

const PROJECT_OF_KEY = 'SELECT p.*, k.sealed_key FROM project_key k JOIN project p ON p.id = k.project_id';

/** Projects in the embedded database. */
export function createSqliteProjects(database: DatabaseSync, vault: KeyVault): ProjectRepository {
  const insertProject = database.prepare(
    'INSERT INTO project (id, name, plan, monthly_limit, rate, demo, status, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const insertKey = database.prepare(
    'INSERT OR IGNORE INTO project_key (key_index, sealed_key, project_id) VALUES (?, ?, ?)',
  );
  const byKey = database.prepare(`${PROJECT_OF_KEY} WHERE k.key_index = ?`);
  const demo = database.prepare(`${PROJECT_OF_KEY} WHERE p.demo = 1`);
  return {
    async create({ project, key }) {
      const { id, name, plan, monthlyLimit, rate, status, createdAt } = project;
      inTransaction(database, () => {
        insertProject.run(id, name, plan, monthlyLimit, rate, project.demo ? 1 : 0, status, createdAt);
        if (insertKey.run(vault.index(key), vault.seal(key), id).changes === 0) throw new DuplicateKey();
      });
    },
    async findByKey(key) {
      const row = byKey.get(vault.index(key));
      return row === undefined ? null : toProject(row);
    },
    async findDemo() {
      const row = demo.get();
      return row === undefined
        ? null
        : { project: toProject(row), key: vault.open(row.sealed_key as string) };
    },
  };
}

function toProject(row: Row): Project {
  return {
    id: row.id as string,
    name: row.name as string,
    plan: row.plan as PlanName,
    monthlyLimit: row.monthly_limit as number | null,
    rate: row.rate as number | null,
    demo: row.demo === 1,
    status: row.status as Project['status'],
    createdAt: row.created_at as number,
  };
}
