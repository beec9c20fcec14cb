import type { DatabaseSync } from 'node:sqlite';
import type { CountingProgress } from '../../counting/ports.ts';

export function createSqliteProgress(database: DatabaseSync): CountingProgress {
  const write = database.prepare(
    'INSERT INTO usage_progress (id, counted_to) VALUES (1, ?) ON CONFLICT DO UPDATE SET counted_to = excluded.counted_to',
  );
  const read = database.prepare('SELECT counted_to FROM usage_progress');
  return {
    async note(to) {
      // Noted each second, and a power loss may lose it: no flush is needed. No other statement runs in
      // between.
      database.exec('PRAGMA synchronous = NORMAL');
      try {
        write.run(to);
      } finally {
        database.exec('PRAGMA synchronous = FULL');
      }
    },
    countedTo: async () => read.get()?.counted_to as number | undefined,
  };
}
