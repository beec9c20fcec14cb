import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { codeBox } from './parts/code-box.ts';
import { answerFacts, momentForm, momentParams, type Moment, type MomentModel } from './parts/moment.ts';
import { networkChoice, networkQuery } from './parts/network-choice.ts';
import { statementSheet, walletField } from './parts/statement.ts';
import { scrollTable } from './parts/table.ts';

interface WalletModel extends MomentModel {
  readonly question: WalletQuestion;
  /** Questions with interesting answers. */
  readonly examples: readonly (WalletQuestion & { readonly title: string })[];
}

/** A wallet and a moment, as in the page's address. */
export interface WalletQuestion extends Moment {
  readonly holder: string;
}

/**
 * GET /wallet: public/statement.js calls the gateway from the reader's browser; without it, the page shows
 * two calls to copy.
 */
export function walletPage(frame: Frame, model: WalletModel): string {
  const { question, examples, errors } = model;
  const search = `?${new URLSearchParams(networkQuery(model)).toString()}`;
  return layout(
    frame,
    {
      title: 'A wallet at a date',
      description: 'What a wallet held, and which approvals were open, at any block or date.',
      modules: errors ? [] : ['statement', 'copy'],
      styles: ['statement'],
      width: 'wide',
    },
    html`<h1>A wallet at a date</h1>
      <p class="lead">
        What it held and who could spend it, at one block, to the exact unit. Or
        <a href="/wallet/period${search}">what came in and went out over a period</a>, or
        <a href="/token${search}">who held a token</a>.
      </p>
      ${networkChoice('/wallet', model, byDate(question))}
      ${momentForm(model, {
        action: '/wallet',
        own: [walletField(question.holder)],
        below: html`<nav class="presets" aria-label="Example queries">
          ${examples.map(({ title, ...each }) => html`<a href="/wallet?${new URLSearchParams({ ...networkQuery(model), ...searchOf(each) }).toString()}">${title}</a>`)}
        </nav>`,
      })}
      ${!errors && html`${statement()} ${requests(model)}`}`,
  );
}

function statement(): Html {
  return statementSheet(
    html`<h3>Held</h3>
      ${scrollTable({ id: 'held', label: 'Held', columns: ['Asset', 'Standard', { number: 'Amount' }] })}
      <h3>Open approvals</h3>
      ${scrollTable({ id: 'open', label: 'Open approvals', columns: ['Asset', 'Who may spend', { number: 'Amount' }] })}`,
    answerFacts(),
  );
}

function requests({ apiUrl, network, demoKey, question }: WalletModel): Html {
  const { holder } = question;
  const when = momentParams(question);
  const line = (path: string, who: Readonly<Record<string, string>>) =>
    `curl -H 'x-api-key: ${demoKey}' '${apiUrl}/v1/${network.name}/${path}?${new URLSearchParams({ ...who, ...when }).toString()}'`;
  return html`<section aria-labelledby="call-title">
    <h2 id="call-title">Requests</h2>
    <noscript>
      <p class="notice">The statement needs JavaScript. Without it, these two calls return the same.</p>
    </noscript>
    ${codeBox({ id: 'call-0', label: 'What it held, with curl', text: line('portfolio', { holder }) })}
    ${codeBox({ id: 'call-1', label: 'Who could spend it, with curl', text: line('allowance/list', { owner: holder }) })}
    <p class="aside">
      This is the public demo key; a statement costs 10 units. For real work:
      <a href="/docs/approvals">audit approvals</a>, <a href="/docs/series">draw a balance over time</a>.
    </p>
  </section>`;
}

function searchOf({ holder, block, date }: WalletQuestion): Readonly<Record<string, string>> {
  return block === '' ? { holder, date } : { holder, block };
}

/** A date is one moment on every network; a block is not. */
function byDate(question: WalletQuestion): Readonly<Record<string, string>> {
  return question.date === '' ? {} : searchOf(question);
}
