/** Reads a page's question about a moment, or about a period. What cannot be read is named: another moment is never shown in its place. */
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

/** An end of a period: a block, or a date. */
export const BOUND = {
  pattern: new RegExp(`${MOMENT.block.pattern.source}|${DATE.source}`),
  expected: 'a block number, or a day or UTC time such as 2022-01-01',
};

/** The fields of a question as they are shown: empty where nothing is given. */
type Read<Name extends string> = Readonly<Record<Name, string>>;

/** The same for a question about a moment. */
export type Asked<Name extends string> = Read<Name | keyof typeof MOMENT>;

/** The fields in a page's address, each as its rule says, and what is wrong with them. */
export function readFields<Name extends string>(
  query: Fields,
  rules: Readonly<Record<Name, Rule>>,
): { readonly asked: Read<Name>; readonly errors?: FormErrors } {
  const names = Object.keys(rules) as Name[];
  const asked = Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>;
  const fields: Record<string, string> = {};
  for (const [given, text] of Object.entries(query)) {
    const name = names.find((each) => each === given);
    if (name === undefined) {
      const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
      return {
        asked,
        errors: { form: `${given.slice(0, MAX_ECHO)}: unknown parameter; expected ${expected}.` },
      };
    }
    const value = typeof text === 'string' ? text.trim() : undefined;
    if (value === '') continue;
    asked[name] = value?.slice(0, MAX_LENGTH) ?? '';
    if (value === undefined) fields[name] = `${name}: given more than once.`;
    else if (!rules[name].pattern.test(value)) fields[name] = `${name}: expected ${rules[name].expected}.`;
    else if (DATE.test(value) && !isDate(formOf(value)))
      fields[name] = `${name}: there is no such day or time.`;
  }
  return { asked, ...(Object.keys(fields).length > 0 && { errors: { fields } }) };
}

/**
 * The fields of a question about a moment, and what is wrong with them.
 * @param own the fields besides the moment's
 */
export function readMomentQuery<Name extends string>(
  query: Fields,
  own: Readonly<Record<Name, Rule>>,
): { readonly asked: Asked<Name>; readonly errors?: FormErrors } {
  const { asked: read, errors } = readFields(query, { ...own, ...MOMENT });
  const asked: Asked<Name> = { ...read, date: formOf(read.date) };
  if (asked.date === '' || asked.block === '') return { asked, ...(errors && { errors }) };
  const both = { block: 'block: give a date or a block, not both.' };
  return { asked, errors: { ...errors, fields: { ...both, ...errors?.fields } } };
}

/** A date in the form of a browser's field; a day alone means 00:00 UTC, as in the API. Anything else is as it was. */
export function formOf(text: string): string {
  const [, day, time = '00:00'] = DATE.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}`;
}

/** True if the calendar has it: Date.parse takes the 30th of February for a day in March. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 16));
}
