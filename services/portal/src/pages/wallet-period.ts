import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { codeBox } from './parts/code-box.ts';
import { emptyFacts, questionForm, utcOf, type MomentModel } from './parts/moment.ts';
import { networkChoice, networkQuery } from './parts/network-choice.ts';
import { statementSheet, walletField } from './parts/statement.ts';
import { scrollTable } from './parts/table.ts';

interface PeriodModel extends Omit<MomentModel, 'question'> {
  readonly question: PeriodQuestion;
}

/** A wallet and a period, as in the page's address: each end is a block, or a date in a browser's form. */
export interface PeriodQuestion {
  readonly holder: string;
  readonly from: string;
  readonly to: string;
}

/**
 * GET /wallet/period: public/period.js calls the gateway from the reader's browser; without it, the page shows calls to
 * copy.
 */
export function walletPeriodPage(frame: Frame, model: PeriodModel): string {
  const { question, errors } = model;
  const isAsked = !errors && question.from !== '';
  const search = `?${new URLSearchParams(networkQuery(model)).toString()}`;
  const end = (name: 'from' | 'to', label: string) => {
    return { name, label, value: question[name], required: true, maxLength: 30, autocomplete: 'off' };
  };
  return layout(
    frame,
    {
      title: 'A wallet over a period',
      description:
        'A statement to print: what a wallet held at both ends of a period, what came in and what went out.',
      modules: isAsked ? ['period', 'copy'] : [],
      styles: ['statement'],
      width: 'wide',
    },
    html`<h1>A wallet over a period</h1>
      <p class="lead">
        What it held at both ends, what came in and what went out, to the exact unit. Or
        <a href="/wallet${search}">a wallet at a date</a>.
      </p>
      ${networkChoice('/wallet/period', model)}
      ${questionForm(model, {
        action: '/wallet/period',
        own: [walletField(question.holder), end('from', 'From (UTC or block)'), end('to', 'To')],
        below: html`<p class="aside">
          Enter a block or a date. A date means its first moment, so the year 2022 runs from 2022-01-01 to
          2023-01-01.
        </p>`,
      })}
      ${isAsked && html`${statement()} ${requests(model)}`}`,
  );
}

const FACTS = [
  'Address',
  'Opening block',
  'Opening block hash',
  'Closing block',
  'Closing block hash',
  'Finality',
];

function statement(): Html {
  return statementSheet(
    scrollTable({ id: 'entries', label: 'Entries by asset', columns: ['Entry', { number: 'Amount' }] }),
    emptyFacts(FACTS),
  );
}

function requests({ apiUrl, network, demoKey, question: { holder, from, to } }: PeriodModel): Html {
  const line = (path: string, more: Readonly<Record<string, string>>) =>
    `curl -H 'x-api-key: ${demoKey}' -H 'accept: text/csv' '${apiUrl}/v1/${network.name}/${path}?${new URLSearchParams({ holder, from: boundOf(from), to: boundOf(to), ...more }).toString()}'`;
  return html`<section aria-labelledby="call-title">
    <h2 id="call-title">Requests</h2>
    <noscript>
      <p class="notice">The statement needs JavaScript. Without it, these two calls return the same.</p>
    </noscript>
    ${codeBox({ id: 'call-0', label: 'Each change, as CSV, with curl', text: line('wallet/changes', { limit: '1000' }) })}
    ${codeBox({ id: 'call-1', label: 'Each month of one asset, as CSV, with curl', text: line('balance/statement', { token_address: 'native', step: '1M' }) })}
    <p class="aside">
      This is the public demo key; a statement costs about 20 units. For real work:
      <a href="/docs/series">balances over time</a>.
    </p>
  </section>`;
}

/** An end of the period in the API's parameters. */
function boundOf(end: string): string {
  return /^\d+$/.test(end) ? end : utcOf(end);
}
