import type { BlockCalendar, CalendarEntry } from '@hindsight/chain/dates/calendar.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { RedisStore } from '@hindsight/stores/redis.ts';
import { CALENDAR, entryFromText, entryToText } from './calendar-text.ts';
import { quietlyWith } from './quietly.ts';

const PREFIX = 'hindsight:calendar:1:';
/** Entries read at a time: an answer has a tenth of a second. */
const READ_AT_ONCE = 1_000;

/** A network's calendar in Redis, for all instances: a hash with hours as fields. */
export function createRedisCalendar(redis: RedisStore, network: string, logger: Logger): BlockCalendar {
  const key = PREFIX + network;
  const quietly = quietlyWith(logger, CALENDAR);
  const readAll = async (): Promise<readonly CalendarEntry[]> => {
    const entries = new Map<number, CalendarEntry>();
    let cursor = '0';
    do {
      const [next, fields] = await redis.run((client) => client.hscan(key, cursor, 'COUNT', READ_AT_ONCE));
      for (let i = 0; i < fields.length; i += 2) {
        const entry = entryFromText(Number(fields[i]), fields[i + 1] ?? '');
        if (entry) entries.set(entry.hour, entry);
      }
      cursor = next;
    } while (cursor !== '0');
    return [...entries.values()];
  };
  return {
    load: () => quietly(readAll),
    async keep(entries) {
      if (entries.length === 0) return;
      await quietly(() =>
        redis.run(async (client) => {
          const pipeline = client.pipeline();
          for (const entry of entries) {
            const field = String(entry.hour);
            if (entry.isLast) pipeline.hset(key, field, entryToText(entry));
            else pipeline.hsetnx(key, field, entryToText(entry));
          }
          await pipeline.exec();
        }),
      );
    },
    clear: async () => void (await quietly(() => redis.run((client) => client.del(key)))),
  };
}
