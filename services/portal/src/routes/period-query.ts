/** Reads the question of `GET /wallet/period`. */
import type { FormErrors } from '../pages/parts/form.ts';
import type { PeriodQuestion } from '../pages/wallet-period.ts';
import { BOUND, formOf, readFields } from './moment-query.ts';
import { HOLDER } from './wallet-query.ts';

const RULES = { ...HOLDER, from: BOUND, to: BOUND };

/** The question in the page's address, and what is wrong with it; where nothing is asked, that of the example. */
export function readPeriodQuery(
  query: Readonly<Record<string, unknown>>,
  example: PeriodQuestion,
): { readonly question: PeriodQuestion; readonly errors?: FormErrors } {
  const { asked, errors } = readFields(query, RULES);
  if (errors?.form !== undefined) return { question: example, errors };
  if (Object.values(asked).every((text) => text === '')) return { question: example };
  const question = { ...asked, from: formOf(asked.from), to: formOf(asked.to) };
  const fields: Record<string, string | undefined> = { ...errors?.fields };
  for (const name of Object.keys(RULES) as (keyof typeof RULES)[])
    if (asked[name] === '') fields[name] ??= `${name}: required.`;
  if (isReversed(question)) fields.to ??= 'to: expected a moment after from.';
  return { question, ...(Object.keys(fields).length > 0 && { errors: { fields } }) };
}

/** Of a block and a date only the chain can tell. */
function isReversed({ from, to }: PeriodQuestion): boolean {
  const [first, last] = [from, to].map((text) => (/^\d+$/.test(text) ? Number(text) : text));
  if (typeof first === 'number' && typeof last === 'number') return first >= last;
  return (
    typeof first === 'string' && typeof last === 'string' && first !== '' && last !== '' && first >= last
  );
}
