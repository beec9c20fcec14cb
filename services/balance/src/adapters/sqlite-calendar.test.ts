import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { describeBlockCalendar } from '../../test/adapters/block-calendar.contract.ts';
import { CALENDAR_MIGRATIONS, createSqliteCalendar } from './sqlite-calendar.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const database = openSqlite(':memory:', CALENDAR_MIGRATIONS);
describeBlockCalendar((network) => createSqliteCalendar(database, network, logger));

describe('the calendar in a database that is closed', () => {
  it('is empty, and not known to be', async () => {
    const closed = openSqlite(':memory:', CALENDAR_MIGRATIONS);
    const calendar = createSqliteCalendar(closed, 'eth-mainnet', logger);
    closed.close();
    await calendar.keep([]);
    await calendar.clear();
    expect(await calendar.load()).toBeUndefined();
  });
});
