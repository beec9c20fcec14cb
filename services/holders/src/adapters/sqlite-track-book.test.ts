import { describe } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeTrackBook, type OpenBook } from '../../test/adapters/track-book.contract.ts';
import { openSqliteTrackBook } from './sqlite-track-book.ts';

async function open(): Promise<OpenBook> {
  const folder = mkdtempSync(join(tmpdir(), 'holders-'));
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const path = join(folder, 'holder-tracks.db');
  return {
    book: openSqliteTrackBook(path, lifecycle),
    another: async () => openSqliteTrackBook(path, lifecycle),
    async close() {
      await lifecycle.shutdown('the end of the test');
      rmSync(folder, { recursive: true });
    },
  };
}

describe('The book of tracks in SQLite', () => {
  describeTrackBook(open);
});
