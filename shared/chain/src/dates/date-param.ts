/** Dates as callers and operators write them. */
import { z } from 'zod';
import { textParam } from '../text-param.ts';

const DATE_EXPECTED =
  'expected ISO 8601: 2023-08-26, or with a time 2023-08-26T16:21:35Z, 2023-08-26T18:21:35+02:00 (UTC where no zone is given)';
const DAY = z.iso.date();
const MOMENT = z.iso.datetime({ offset: true });
/** A time needs no seconds, and a zone no minutes and no colon (ISO 8601, 4.3 and 5.3). */
const TIME = /^(.{10}T\d{2}:\d{2})(?:(:\d{2})(?:[.,]\d+)?)?(?:Z|([+-]\d{2})(?::?(\d{2}))?)?$/;
const MAX_DATE_LENGTH = 40;

/**
 * A moment in ISO 8601, parsed to Unix seconds. A date alone is its first second; without a zone UTC is meant, so that
 * an answer never depends on where the server stands. Fractions of a second are cut off: blocks have whole seconds.
 */
export const dateParam = textParam((value, refuse) => {
  const seconds = value.length <= MAX_DATE_LENGTH ? parseDate(value) : undefined;
  return seconds ?? refuse(`${dateFault(value)}${DATE_EXPECTED}`);
}).meta({ minLength: 10, maxLength: MAX_DATE_LENGTH });

/** The reason why a text is no date, before the words on what is expected. */
export function dateFault(value: string): string {
  if (value === '') return 'it is empty; ';
  return /^\d{4}-\d{2}-\d{2}/.test(value) ? 'there is no such date or time; ' : '';
}

function parseDate(value: string): number | undefined {
  const text = withPlus(value);
  if (DAY.safeParse(text).success) return Date.parse(text) / 1000;
  const [, minute, second = ':00', hours, minutes = '00'] = TIME.exec(text) ?? [];
  const moment = `${minute}${second}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`;
  return MOMENT.safeParse(moment).success ? Date.parse(moment) / 1000 : undefined;
}

/** In a query a plus that is not escaped as %2B arrives as a space, which can mean nothing else here. */
function withPlus(value: string): string {
  return value.toUpperCase().replace(/ (?=\d{2}(?::?\d{2})?$)/, '+');
}

/** Seconds by which the zone of a date is ahead of UTC. */
export function aheadOf(date: string): number {
  const [, , , hours = '+0', minutes = '0'] = TIME.exec(withPlus(date)) ?? [];
  const seconds = 3600 * Math.abs(Number(hours)) + 60 * Number(minutes);
  return hours.startsWith('-') ? -seconds : seconds;
}
