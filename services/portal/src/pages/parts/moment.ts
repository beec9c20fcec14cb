/** Parts of the pages that are about one moment: a block, or a date. */
import { html, type Html } from '../html.ts';
import { facts } from './facts.ts';
import { field, type FormErrors } from './form.ts';

/** A moment, as in a page's address; the latest block without one. */
export interface Moment {
  readonly block: string;
  /** UTC, in the form of a browser's field: 2023-08-26T16:21. */
  readonly date: string;
}

/** Fields for a moment. */
export function momentFields({ date, block }: Moment, wrong: NonNullable<FormErrors['fields']>): Html {
  return html`${field({ name: 'date', label: 'On date (UTC)', type: 'datetime-local', value: date, error: wrong.date })}
  ${field({ name: 'block', label: 'or at block', value: block, numeric: true, autocomplete: 'off', error: wrong.block })}`;
}

/** The moment in the API's parameters. */
export function momentParams({ date, block }: Moment): Readonly<Record<string, string>> {
  if (block !== '') return { block_height: block };
  return date === '' ? {} : { date: `${date.padEnd(19, ':00')}Z` };
}

/** Facts about an answer, which public/demo/sheet.js fills in: those titles, and the block's. */
export function answerFacts(...titles: readonly string[]): Html {
  const all = [...titles, 'Block', 'Time', 'Finality', 'Block hash'];
  return facts(
    Object.fromEntries(all.map((title) => [title, html`<span class="figure" data-fact="${title}">–</span>`])),
  );
}
