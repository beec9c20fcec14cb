import { describe, expect, it } from '@jest/globals';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describeTokenIndex, type OpenIndex } from '../../test/adapters/index.contract.ts';
import { writeAsBefore } from '../../test/adapters/sqlite-before.ts';
import { createSqliteIndex } from './sqlite-index.ts';
import { LIST_QUERIES } from './sqlite-list.ts';
import { TOKEN_MIGRATIONS } from './sqlite-schema.ts';

async function open(): Promise<OpenIndex> {
  const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  const databases: DatabaseSync[] = [];
  const another = (): ReturnType<typeof createSqliteIndex> => {
    const database = openSqlite(join(folder, 'tokens.db'), TOKEN_MIGRATIONS);
    databases.push(database);
    return createSqliteIndex(database);
  };
  return {
    index: another(),
    another: async () => another(),
    writeAsBefore: async (base, rows) => writeAsBefore(databases[0]!, base, rows),
    async close() {
      for (const database of databases) database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describe('Token index in SQLite', () => {
  describeTokenIndex(open, 20);

  it('answers every query of the list by equality or a range on one index, without sorting', async () => {
    const database = openSqlite(':memory:', TOKEN_MIGRATIONS);
    try {
      for (const [name, query] of Object.entries(LIST_QUERIES)) {
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${query}`).all() as { detail: string }[];
        for (const { detail } of steps)
          expect([name, detail]).toEqual([name, expect.stringMatching(/^SEARCH /)]);
      }
    } finally {
      database.close();
    }
  });
});
