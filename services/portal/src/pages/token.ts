import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { codeBox } from './parts/code-box.ts';
import { answerFacts, momentForm, momentParams, type Moment, type MomentModel } from './parts/moment.ts';
import { networkChoice } from './parts/network-choice.ts';
import { statement } from './parts/statement.ts';
import { scrollTable } from './parts/table.ts';

interface TokenModel extends MomentModel {
  readonly question: TokenQuestion;
}

/** A token and a moment, as in the page's address. */
export interface TokenQuestion extends Moment {
  /** A contract's address; anything else searches the list of tokens. */
  readonly token: string;
  /** Of an ERC-1155, or an ERC-721. */
  readonly id: string;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** GET /token: public/token.js calls the gateway from the reader's browser; without it, the page shows calls to copy. */
export function tokenPage(frame: Frame, model: TokenModel): string {
  const { question, errors } = model;
  const isToken = ADDRESS.test(question.token);
  return layout(
    frame,
    {
      title: 'A token at a date',
      description:
        'Who held a token at any block or date: the largest holders, their number over time, and all of them as a file.',
      modules: errors ? [] : ['token', 'copy'],
      scripts: errors || !isToken ? [] : ['vendor/uplot'],
      styles: ['statement', 'token', 'vendor/uplot'],
      width: 'wide',
    },
    html`<h1>A token at a date</h1>
      <p class="lead">Who held it, at one block, to the exact unit.</p>
      ${networkChoice('/token', model)}
      ${momentForm(model, {
        action: '/token',
        own: [
          {
            name: 'token',
            label: 'Token: address, name or symbol',
            value: question.token,
            maxLength: 100,
            autocomplete: 'off',
          },
          {
            name: 'id',
            label: 'Token ID (ERC-1155 only)',
            value: question.id,
            numeric: true,
            autocomplete: 'off',
          },
        ],
      })}
      ${!errors && (isToken ? html`${holders()} ${history()} ${requests(model)}` : list(question.token))}`,
  );
}

/** The list of tokens, or those that a search finds. Filled in by the script. */
function list(search: string): Html {
  return html`<section aria-labelledby="list-title" id="list">
    <h2 id="list-title">Tokens</h2>
    <noscript
      ><p class="notice">
        The list needs JavaScript. Without it, <a href="/reference/list-tokens">one call</a> returns it.
      </p></noscript
    >
    <p id="trouble" class="notice bad" role="alert" hidden></p>
    <p id="found" role="status" data-script>
      ${search === '' ? 'The oldest tokens on this chain.' : html`Names and symbols with a word that begins with “${search}”.`}
    </p>
    ${scrollTable({ id: 'tokens', label: 'Tokens', columns: ['Token', 'Standard', { number: 'Since block' }] })}
  </section>`;
}

/** Filled in by the script. */
function holders(): Html {
  return html`<section aria-labelledby="holders-title" data-script>
    <h2 id="holders-title">Holders</h2>
    <p id="trouble" class="notice bad" role="alert" hidden></p>
    <p id="indexing" class="notice" hidden>
      Holders are known only for tokens that the operator has indexed:
      <a href="/docs/holders#if-the-answer-is-409">how to get one indexed</a>.
    </p>
    ${statement(
      html`<h3 id="largest-title">The largest holders</h3>
        ${scrollTable({ id: 'largest', label: 'The largest holders', columns: ['Holder', 'Share', { number: 'Amount' }] })}`,
      answerFacts('Holders', 'Supply'),
    )}
    <div class="actions">
      <button type="button" id="csv" disabled>Download all as CSV</button>
      <button type="button" id="parquet" disabled>Download all as Parquet</button>
      <span id="saved" role="status"></span>
    </div>
    ${codeBox({ id: 'share', label: 'A link to this page', button: 'Copy link' })}
  </section>`;
}

/** Filled in by the script. */
function history(): Html {
  return html`<section aria-labelledby="history-title" data-script>
    <h2 id="history-title">Number of holders</h2>
    <p id="history-state" role="status">Waiting for the holders…</p>
    <div
      id="chart"
      class="holder-chart"
      role="img"
      aria-label="Number of holders over time; the same numbers are in the table below"
    ></div>
    <details>
      <summary>View as table</summary>
      ${scrollTable({ id: 'rows', label: 'Number of holders by block', columns: ['Block', 'Time', { number: 'Holders' }] })}
    </details>
  </section>`;
}

function requests({ apiUrl, network, demoKey, question }: TokenModel): Html {
  const { token, id } = question;
  const asked = { token_address: token, ...(id === '' ? {} : { token_id: id }) };
  const line = (path: string, query: Readonly<Record<string, string>>) =>
    `curl -H 'x-api-key: ${demoKey}' '${apiUrl}/v1/${network.name}/token/holders${path}?${new URLSearchParams({ ...asked, ...query }).toString()}'`;
  return html`<section aria-labelledby="call-title">
    <h2 id="call-title">Requests</h2>
    <noscript>
      <p class="notice">The figures need JavaScript. Without it, these calls return the same.</p>
    </noscript>
    ${codeBox({ id: 'call-0', label: 'The largest holders, with curl', text: line('', { ...momentParams(question), order: 'balance' }) })}
    ${codeBox({ id: 'call-1', label: 'Their number over time, with curl', text: line('/series', {}) })}
    <p class="aside">
      This is the public demo key. For real work: <a href="/docs/holders">airdrop to all holders</a>.
    </p>
  </section>`;
}
