/** Reads the questions of public pages. What cannot be read is named: another moment is never shown in its place. */
import type { FormErrors } from '../pages/parts/form.ts';
import type { Moment } from '../pages/parts/moment.ts';
import type { TokenQuestion } from '../pages/token.ts';
import type { PeriodQuestion } from '../pages/wallet-period.ts';
import type { WalletQuestion } from '../pages/wallet.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Values that a field takes, and the words for anything else. */
interface Rule {
  readonly pattern: RegExp;
  readonly expected: string;
}

/** The question in a page's address, and what is wrong with it. */
export interface Read<Question> {
  readonly question: Question;
  readonly errors?: FormErrors | undefined;
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
const BOUND = {
  pattern: new RegExp(`${MOMENT.block.pattern.source}|${DATE.source}`),
  expected: 'a block number, or a day or UTC time such as 2022-01-01',
};

const HOLDER = { holder: { pattern: /^.{1,260}$/, expected: 'an address or an ENS name' } };

const OF_PERIOD = { ...HOLDER, from: BOUND, to: BOUND };

const OF_TOKEN = {
  token: {
    pattern: /^.{1,100}$/,
    expected: 'an address, or the beginning of a name, a symbol or a word in them',
  },
  id: { pattern: /^\d{1,78}$/, expected: 'a whole number' },
};

/** Of `GET /token`. Without a moment it is about the latest block. */
export function readTokenQuery(query: Fields): Read<TokenQuestion> {
  return readMomentQuery(query, OF_TOKEN);
}

/**
 * Of `GET /wallet`. Without a holder it is the first example; without a moment, it has that of the first example.
 */
export function readWalletQuery(query: Fields, first: WalletQuestion): Read<WalletQuestion> {
  const { question, errors } = readMomentQuery(query, HOLDER);
  if (errors?.form !== undefined) return { question: first, errors };
  if (errors !== undefined) return { question, errors };
  const { holder, date, block } = question;
  const hasMoment = date !== '' || block !== '';
  if (holder !== '') return { question: hasMoment ? question : { ...question, block: first.block } };
  return hasMoment ? { question, errors: { fields: { holder: 'holder: required.' } } } : { question: first };
}

/** Of `GET /wallet/period`; where nothing is asked, that of the example. */
export function readPeriodQuery(query: Fields, example: PeriodQuestion): Read<PeriodQuestion> {
  const { question: asked, errors } = readFields(query, OF_PERIOD);
  if (errors?.form !== undefined) return { question: example, errors };
  if (Object.values(asked).every((text) => text === '')) return { question: example };
  const question = { ...asked, from: formOf(asked.from), to: formOf(asked.to) };
  const fields: Record<string, string | undefined> = { ...errors?.fields };
  for (const [name, text] of Object.entries(asked)) if (text === '') fields[name] ??= `${name}: required.`;
  if (isReversed(question)) fields.to ??= 'to: expected a moment after from.';
  return { question, errors: errorsOf(fields) };
}

/** Of a block and a date only the chain can tell. */
function isReversed({ from, to }: PeriodQuestion): boolean {
  const [first, last] = [from, to].map((text) => (/^\d+$/.test(text) ? Number(text) : text));
  if (typeof first === 'number' && typeof last === 'number') return first >= last;
  return (
    typeof first === 'string' && typeof last === 'string' && first !== '' && last !== '' && first >= last
  );
}

/** The fields of a question about a moment. @param own those besides the moment's */
function readMomentQuery<Name extends string>(
  query: Fields,
  own: Readonly<Record<Name, Rule>>,
): Read<Readonly<Record<Name, string>> & Moment> {
  const { question: read, errors } = readFields(query, { ...own, ...MOMENT });
  const question = { ...read, date: formOf(read.date) };
  if (question.date === '' || question.block === '') return { question, errors };
  const both = { block: 'block: give a date or a block, not both.' };
  return { question, errors: { ...errors, fields: { ...both, ...errors?.fields } } };
}

/** The fields in a page's address, each as its rule says; empty where nothing is given. */
function readFields<Name extends string>(
  query: Fields,
  rules: Readonly<Record<Name, Rule>>,
): Read<Readonly<Record<Name, string>>> {
  const names = Object.keys(rules) as Name[];
  const question = Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>;
  const fields: Record<string, string> = {};
  for (const [given, text] of Object.entries(query)) {
    const name = names.find((each) => each === given);
    if (name === undefined) {
      const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
      return {
        question,
        errors: { form: `${given.slice(0, MAX_ECHO)}: unknown parameter; expected ${expected}.` },
      };
    }
    const value = typeof text === 'string' ? text.trim() : undefined;
    if (value === '') continue;
    question[name] = value?.slice(0, MAX_LENGTH) ?? '';
    if (value === undefined) fields[name] = `${name}: given more than once.`;
    else if (!rules[name].pattern.test(value)) fields[name] = `${name}: expected ${rules[name].expected}.`;
    else if (DATE.test(value) && !isDate(formOf(value)))
      fields[name] = `${name}: there is no such day or time.`;
  }
  return { question, errors: errorsOf(fields) };
}

function errorsOf(fields: NonNullable<FormErrors['fields']>): FormErrors | undefined {
  return Object.keys(fields).length === 0 ? undefined : { fields };
}

/** A date in the form of a browser's field; a day alone means 00:00 UTC, as in the API. Anything else is as it was. */
function formOf(text: string): string {
  const [, day, time = '00:00'] = DATE.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}`;
}

/** True if the calendar has it: Date.parse takes the 30th of February for a day in March. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 16));
}
