/** An entry of the calendar of blocks as stores keep it. */
import type { CalendarEntry } from '@hindsight/chain/dates/calendar.ts';

/** The calendar, in words of the log. */
export const CALENDAR = 'the calendar of blocks';
const SEPARATOR = ' ';
const LAST = 'last';

/** The entry without its hour, which it is kept under. */
export function entryToText({ block, isLast }: CalendarEntry): string {
  const { number, hash, parentHash, timestamp } = block;
  return [number, hash, parentHash, timestamp, ...(isLast ? [LAST] : [])].join(SEPARATOR);
}

/** Undefined where the text is no entry: a later release may keep them differently. */
export function entryFromText(hour: number, text: string): CalendarEntry | undefined {
  const match = /^(\d+) (0x[0-9a-f]{64}) (0x[0-9a-f]{64}) (\d+)( last)?$/.exec(text);
  if (!match) return undefined;
  const [, number, hash = '', parentHash = '', timestamp, last] = match;
  const block = { number: Number(number), hash, parentHash, timestamp: Number(timestamp) };
  return { hour, block, isLast: last !== undefined };
}
