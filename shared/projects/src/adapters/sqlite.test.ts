import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProject } from '../create-project.ts';
import { describeOwners } from '../../test/audit.contract.ts';
import { Installation } from '../../test/installation.contract.ts';
import { describeKeys } from '../../test/keys.contract.ts';
import { describeOutbox } from '../../test/outbox.contract.ts';
import { describeProjects } from '../../test/projects.contract.ts';
import { describeReseal } from '../../test/reseal.contract.ts';
import { describeSeveralKeys } from '../../test/several-keys.contract.ts';
import { describeStoredBefore } from '../../test/stored-before.contract.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { PROJECT_MIGRATIONS } from './sqlite-schema.ts';

const root = mkdtempSync(join(tmpdir(), 'hindsight-projects-'));
const places = { fresh: async () => ({ dataDir: mkdtempSync(join(root, 'place-')) }) };
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeProjects('SQLite', places);
describeKeys('SQLite', places);
describeOutbox('SQLite', places);
describeOwners('SQLite', places);
describeReseal('SQLite', places);
describeSeveralKeys('SQLite', places);
describeStoredBefore('SQLite', places, async ({ dataDir }, { id, name, createdAt, secrets }) => {
  const database = openSqlite(join(dataDir, 'hindsight.db'), PROJECT_MIGRATIONS.slice(0, 3));
  database
    .prepare(
      "INSERT INTO project (id, name, plan, demo, status, created_at) VALUES (?, ?, 'free', 0, 'active', ?)",
    )
    .run(id, name, createdAt);
  for (const { index, sealed, expiresAt } of secrets) {
    database
      .prepare('INSERT INTO project_key (key_index, sealed_key, project_id, expires_at) VALUES (?, ?, ?, ?)')
      .run(index, sealed, id, expiresAt);
  }
  database.close();
});

describe('what SQLite keeps on disk', () => {
  it('has no key in the clear', async () => {
    const place = new Installation(await places.fresh());
    const { projects } = await place.open();
    const { key } = await createProject({ projects, ...place.platform }, { name: 'Ada', plan: 'free' });
    const { dataDir } = place.settings;
    const bytes = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'));
    await place.close();
    expect(bytes.join('')).toContain('Ada');
    expect(bytes.join('')).not.toContain(key);
  });
});
