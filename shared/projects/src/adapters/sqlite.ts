import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { Project } from '../project.ts';
import {
  keysOf,
  secretsOf,
  settingsOf,
  type KeySecret,
  type KeySettings,
  type ProjectRecord,
  type StoredKey,
} from '../record.ts';
import type { KeyUse, OutboxEntry, ProjectStore } from '../store.ts';

interface Row extends Omit<Project, 'demo'> {
  readonly demo: number;
  readonly version: number;
  /** JSON; null in rows from before a project could have several keys. */
  readonly keySettings: string | null;
}

const FIELDS = `id, name, owner_id AS ownerId, plan, monthly_limit AS monthlyLimit, rate, demo, status,
  created_at AS createdAt, version, key_settings AS keySettings`;

const BEFORE_ALL = { createdAt: -1, id: '' };

/** Projects in the embedded database; its schema is `PROJECT_MIGRATIONS`. */
export function createSqliteProjects(database: DatabaseSync): ProjectStore {
  const sql = {
    taken: database.prepare('SELECT 1 FROM project WHERE id = ? OR (demo = 1 AND ? = 1)'),
    insert: database.prepare(
      `INSERT INTO project (id, name, owner_id, plan, monthly_limit, rate, demo, status, created_at,
         key_settings)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    update: database.prepare(
      `UPDATE project SET name = ?, plan = ?, monthly_limit = ?, rate = ?, status = ?, key_settings = ?,
         version = version + 1
       WHERE id = ? AND version = ?`,
    ),
    keyOwner: database.prepare('SELECT project_id FROM project_key WHERE key_index = ?'),
    removeKeys: database.prepare('DELETE FROM project_key WHERE project_id = ?'),
    insertKey: database.prepare(
      'INSERT INTO project_key (key_index, sealed_key, project_id, expires_at, key_id) VALUES (?, ?, ?, ?, ?)',
    ),
    removeExpired: database.prepare('DELETE FROM project_key WHERE expires_at <= ? RETURNING project_id'),
    // Of each key the current secret first, then the old ones: the latest to end is the newest.
    keys: database.prepare(
      `SELECT key_id AS keyId, key_index AS "index", sealed_key AS sealed, expires_at AS expiresAt
       FROM project_key WHERE project_id = ? ORDER BY expires_at IS NOT NULL, expires_at DESC, rowid`,
    ),
    byId: database.prepare(`SELECT ${FIELDS} FROM project WHERE id = ?`),
    byKey: database.prepare(
      `SELECT ${FIELDS} FROM project_key JOIN project ON id = project_id WHERE key_index = ?`,
    ),
    demo: database.prepare(`SELECT ${FIELDS} FROM project WHERE demo = 1`),
    page: database.prepare(
      `SELECT ${FIELDS} FROM project WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`,
    ),
    owned: database.prepare(
      `SELECT ${FIELDS} FROM project WHERE owner_id = ? AND (created_at, id) > (?, ?)
       ORDER BY created_at, id LIMIT ?`,
    ),
    noteUse: database.prepare(
      `INSERT INTO project_key_use (project_id, key_id, at) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET at = max(at, excluded.at)`,
    ),
    uses: database.prepare(
      'SELECT project_id AS projectId, key_id AS keyId, at FROM project_key_use WHERE project_id = ?',
    ),
    append: database.prepare('INSERT INTO project_outbox (id, project_id, change, at) VALUES (?, ?, ?, ?)'),
  };
  const toRecord = ({ demo, version, keySettings, ...project }: Row): ProjectRecord => {
    const settings = keySettings === null ? undefined : (JSON.parse(keySettings) as KeySettings[]);
    const secrets = sql.keys.all(project.id) as unknown as KeySecret[];
    const keys = keysOf(settings, secrets, project.createdAt);
    return { project: { ...project, demo: demo === 1 }, keys, version };
  };
  const one = (statement: StatementSync, ...values: readonly string[]): ProjectRecord | null => {
    const row = statement.get(...values) as Row | undefined;
    return row === undefined ? null : toRecord(row);
  };
  const several = (statement: StatementSync, ...values: readonly (string | number)[]): ProjectRecord[] =>
    (statement.all(...values) as unknown as Row[]).map(toRecord);
  const isOthers = (projectId: string, { index }: StoredKey): boolean => {
    const owner = sql.keyOwner.get(index)?.project_id;
    return owner !== undefined && owner !== projectId;
  };
  const putKeys = (projectId: string, secrets: readonly KeySecret[]): void => {
    sql.removeKeys.run(projectId);
    for (const { index, sealed, expiresAt, keyId } of secrets)
      sql.insertKey.run(index, sealed, projectId, expiresAt, keyId);
  };
  const append = ({ id, projectId, change, at }: OutboxEntry) => sql.append.run(id, projectId, change, at);
  return {
    insert: async ({ project, keys }, entry) =>
      inTransaction(database, () => {
        const { id, name, ownerId, plan, monthlyLimit, rate, status, createdAt } = project;
        const demo = project.demo ? 1 : 0;
        const [secrets, settings] = [secretsOf(keys), JSON.stringify(settingsOf(keys))];
        if (sql.taken.get(id, demo) !== undefined) return 'project-taken';
        if (secrets.some((key) => isOthers(id, key))) return 'key-taken';
        sql.insert.run(id, name, ownerId, plan, monthlyLimit, rate, demo, status, createdAt, settings);
        putKeys(id, secrets);
        append(entry);
        return 'inserted';
      }),
    read: async (id) => one(sql.byId, id),
    async readByKey(indexes) {
      for (const index of indexes) {
        const record = one(sql.byKey, index);
        if (record !== null) return record;
      }
      return null;
    },
    readDemo: async () => one(sql.demo),
    list: async (limit, after = BEFORE_ALL) => several(sql.page, after.createdAt, after.id, limit),
    listOwned: async (ownerId, limit, after = BEFORE_ALL) =>
      several(sql.owned, ownerId, after.createdAt, after.id, limit),
    replace: async ({ project, keys, version }, entry) =>
      inTransaction(database, () => {
        const { id, name, plan, monthlyLimit, rate, status } = project;
        const [secrets, settings] = [secretsOf(keys), JSON.stringify(settingsOf(keys))];
        if (secrets.some((key) => isOthers(id, key))) return 'key-taken';
        const { changes } = sql.update.run(name, plan, monthlyLimit, rate, status, settings, id, version);
        if (changes === 0) return 'conflict';
        putKeys(id, secrets);
        if (entry !== null) append(entry);
        return 'replaced';
      }),
    async removeExpiredKeys(now) {
      return new Set(sql.removeExpired.all(now).map((row) => row.project_id)).size;
    },
    async noteKeyUses(uses) {
      inTransaction(database, () =>
        uses.forEach(({ projectId, keyId, at }) => sql.noteUse.run(projectId, keyId, at)),
      );
    },
    keyUses: async (projectId) => sql.uses.all(projectId) as unknown as KeyUse[],
  };
}
