import type { BlockCalendar } from '@hindsight/chain/dates/calendar.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { inTransaction, type Migration } from '@hindsight/stores/sqlite.ts';
import type { DatabaseSync } from 'node:sqlite';
import { CALENDAR, entryFromText, entryToText } from './calendar-text.ts';
import { quietlyWith } from './quietly.ts';

export const CALENDAR_MIGRATIONS: readonly Migration[] = [
  {
    id: 'calendar-1',
    sql: `
      CREATE TABLE block_calendar (
        network TEXT NOT NULL,
        hour INTEGER NOT NULL,
        entry TEXT NOT NULL,
        PRIMARY KEY (network, hour)
      ) STRICT, WITHOUT ROWID;`,
  },
];

export function createSqliteCalendar(database: DatabaseSync, network: string, logger: Logger): BlockCalendar {
  const all = database.prepare('SELECT hour, entry FROM block_calendar WHERE network = ?');
  const add = database.prepare(
    'INSERT OR IGNORE INTO block_calendar (network, hour, entry) VALUES (?, ?, ?)',
  );
  const put = database.prepare(
    'INSERT OR REPLACE INTO block_calendar (network, hour, entry) VALUES (?, ?, ?)',
  );
  const drop = database.prepare('DELETE FROM block_calendar WHERE network = ?');
  const quietly = quietlyWith(logger, CALENDAR);
  return {
    load: () =>
      quietly(() =>
        all
          .all(network)
          .map(({ hour, entry }) => entryFromText(Number(hour), String(entry)))
          .filter((entry) => entry !== undefined),
      ),
    async keep(entries) {
      if (entries.length === 0) return;
      await quietly(() =>
        inTransaction(database, () => {
          for (const entry of entries)
            (entry.isLast ? put : add).run(network, entry.hour, entryToText(entry));
        }),
      );
    },
    clear: async () => void (await quietly(() => drop.run(network))),
  };
}
