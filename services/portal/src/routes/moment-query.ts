/** Reads a page's question about a moment. What cannot be read is named: another moment is never shown in its place. */
import type { FormErrors } from '../pages/parts/form.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Values that a field takes, and the words for anything else. */
interface Rule {
  readonly pattern: RegExp;
  readonly expected: string;
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:\.0+)?Z?)?$/;
const MOMENT = {
  date: { pattern: DATE, expected: 'a UTC time such as 2023-08-26T16:21, or a day such as 2023-08-26' },
  block: { pattern: /^\d{1,12}$/, expected: 'a block number' },
} as const;
/** Of an unknown name, in its error. */
const MAX_ECHO = 40;
const MAX_LENGTH = 260;

/** The fields of a question as they are shown: empty where nothing is given. */
export type Asked<Name extends string> = Readonly<Record<Name | keyof typeof MOMENT, string>>;

/**
 * The fields in a page's address, and what is wrong with them. A day alone means 00:00 UTC, as in the API.
 * @param own the fields besides the moment's
 */
export function readMomentQuery<Name extends string>(
  query: Fields,
  own: Readonly<Record<Name, Rule>>,
): { readonly asked: Asked<Name>; readonly errors?: FormErrors } {
  const rules: Readonly<Record<string, Rule>> = { ...own, ...MOMENT };
  const names = Object.keys(rules);
  const asked = Object.fromEntries(names.map((name) => [name, ''])) as Record<string, string>;
  const fields: Record<string, string> = {};
  const done = (errors?: FormErrors) => ({ asked: asked as Asked<Name>, ...(errors && { errors }) });
  for (const [name, given] of Object.entries(query)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
      return done({ form: `${name.slice(0, MAX_ECHO)}: unknown parameter; expected ${expected}.` });
    }
    const value = typeof given === 'string' ? given.trim() : undefined;
    if (value === '') continue;
    asked[name] = value?.slice(0, MAX_LENGTH) ?? '';
    if (value === undefined) fields[name] = `${name}: given more than once.`;
    else if (!rule.pattern.test(value)) fields[name] = `${name}: expected ${rule.expected}.`;
  }
  const moment = DATE.exec(asked.date ?? '');
  if (moment) {
    asked.date = `${moment[1]}T${moment[2] ?? '00:00'}`;
    if (!isDate(asked.date)) fields.date = 'date: there is no such day or time.';
  }
  if (asked.date !== '' && asked.block !== '') fields.block ??= 'block: give a date or a block, not both.';
  return done(Object.keys(fields).length > 0 ? { fields } : undefined);
}

/** True if the calendar has it: Date.parse takes the 30th of February for a day in March. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 16));
}
