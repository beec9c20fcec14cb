/** Reads the question of `GET /wallet`. What cannot be read is named: another moment is never shown in its place. */
import type { FormErrors } from '../pages/parts/form.ts';
import type { WalletQuestion } from '../pages/wallet.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Values that each field takes, and the words for anything else. */
const RULES = {
  holder: { pattern: /^.{1,260}$/, expected: 'an address or an ENS name' },
  date: {
    pattern: /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:\.0+)?Z?)?$/,
    expected: 'a UTC time such as 2023-08-26T16:21, or a day such as 2023-08-26',
  },
  block: { pattern: /^\d{1,12}$/, expected: 'a block number' },
} as const;
/** Of an unknown name, in its error. */
const MAX_ECHO = 40;

/**
 * The question in the page's address, and what is wrong with it. Without a holder it is the first example; without a
 * moment, that of the first example. A day alone means 00:00 UTC, as in the API.
 */
export function readWalletQuery(
  query: Fields,
  first: WalletQuestion,
): { readonly question: WalletQuestion; readonly errors?: FormErrors } {
  const asked = { holder: '', date: '', block: '' };
  const fields: { -readonly [name in keyof WalletQuestion]?: string } = {};
  for (const [name, given] of Object.entries(query)) {
    if (!Object.hasOwn(RULES, name)) {
      const form = `${name.slice(0, MAX_ECHO)}: unknown parameter; expected holder, date or block.`;
      return { question: first, errors: { form } };
    }
    const key = name as keyof typeof RULES;
    const { pattern, expected } = RULES[key];
    const value = typeof given === 'string' ? given.trim() : undefined;
    if (value === '') continue;
    asked[key] = value === undefined ? '' : value.slice(0, 260);
    if (value === undefined) fields[key] = `${key}: given more than once.`;
    else if (!pattern.test(value)) fields[key] = `${key}: expected ${expected}.`;
  }
  const moment = RULES.date.pattern.exec(asked.date);
  if (moment) {
    asked.date = `${moment[1]}T${moment[2] ?? '00:00'}`;
    if (!isDate(asked.date)) fields.date = 'date: there is no such day or time.';
  }
  if (asked.date !== '' && asked.block !== '') fields.block ??= 'block: give a date or a block, not both.';
  if (Object.keys(fields).length > 0) return { question: asked, errors: { fields } };
  if (asked.holder === '' && asked.date === '' && asked.block === '') return { question: first };
  if (asked.holder === '') return { question: asked, errors: { fields: { holder: 'holder: required.' } } };
  return {
    question: asked.block === '' && asked.date === '' ? { ...asked, block: first.block } : asked,
  };
}

/** True if the calendar has it: Date.parse takes the 30th of February for a day in March. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 16));
}
