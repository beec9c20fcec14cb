import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { codeBox } from './parts/code-box.ts';
import { facts } from './parts/facts.ts';
import { field } from './parts/form.ts';
import { networkChoice } from './parts/network-choice.ts';
import { demoQuestions, exampleOf } from './parts/network-questions.ts';
import { scrollTable } from './parts/table.ts';
import { scriptSettings, type Demonstration } from './showcase.ts';

/** GET /demo: public/demo.js fetches everything on it live from the gateway. */
export function demoPage(frame: Frame, model: Demonstration): string {
  return layout(
    frame,
    {
      title: 'Demo',
      description: 'A balance over time, drawn from one live API answer.',
      modules: ['demo', 'copy'],
      scripts: ['vendor/uplot'],
      styles: ['demo', 'vendor/uplot'],
      width: 'wide',
    },
    html`<h1>Balance over time</h1>
      <p class="lead">
        Live from the API, block by block. Move the red line to read the balance at any block.
      </p>
      ${networkChoice('/demo', model)}
      <noscript>
        <p class="notice">
          The demo needs JavaScript. The API doesn’t: this call gets the same numbers. See the
          <a href="/reference">reference</a> for all others.
        </p>
        <pre tabindex="0" role="group" aria-label="The request with curl"><code>${curlOf(model)}</code></pre>
      </noscript>
      ${questionSection(model)} ${pictureSection()} ${answerSection()} ${callSection(frame)}`,
  );
}

function questionSection(model: Demonstration): Html {
  const settings = JSON.stringify({ ...scriptSettings(model), questions: demoQuestions(model.network) });
  return html`<section aria-labelledby="question-title" data-script>
    <h2 id="question-title">Query</h2>
    <form id="question" class="question" action="/demo" data-settings="${settings}">
      ${field({ name: 'token', label: 'Token', required: true, maxLength: 100, autocomplete: 'off' })}
      ${field({ name: 'holder', label: 'Wallet or name', required: true, maxLength: 260, autocomplete: 'off' })}
      ${field({ name: 'from', label: 'From block', numeric: true, autocomplete: 'off' })}
      ${field({ name: 'to', label: 'To block', numeric: true, autocomplete: 'off' })}
      <button type="submit" class="primary">Draw</button>
    </form>
    <nav id="presets" class="presets" aria-label="Example queries"></nav>
  </section>`;
}

function pictureSection(): Html {
  return html`<section aria-labelledby="picture-title" data-script>
    <h2 id="picture-title">Chart</h2>
    <div class="drawing">
      <p class="progress-line">
        <progress id="progress" max="1" value="0" aria-labelledby="progress-text"></progress>
        <span id="progress-text" role="status">Waiting for the first answer…</span>
        <button type="button" class="quiet" id="cancel" disabled>Cancel</button>
      </p>
      <p id="trouble" class="notice bad" role="alert" hidden></p>
      <div
        id="chart"
        class="demo-chart"
        role="img"
        aria-label="Balance over time; the same numbers are in the table below"
      ></div>
      <label class="slider-label" for="slider">Selected block</label>
      <input id="slider" class="slider" type="range" min="0" max="1" value="0" step="1" disabled />
    </div>
    <details>
      <summary>View as table</summary>
      ${scrollTable({ label: 'Answers by block', columns: ['Block', 'Time', { number: 'Balance' }], id: 'rows' })}
    </details>
  </section>`;
}

function answerSection(): Html {
  return html`<section aria-labelledby="answer-title" data-script>
    <h2 id="answer-title">At the selected block</h2>
    <div class="when">
      <div class="field">
        <label for="block">At block</label>
        <input id="block" type="number" inputmode="numeric" min="0" step="1" disabled />
      </div>
      <div class="field">
        <label for="date">or at a date (UTC)</label>
        <input id="date" type="datetime-local" step="1" disabled />
      </div>
    </div>
    <div id="answer" class="answer" data-state="asking" aria-live="polite">
      <p class="answer-line"><span id="answer-amount">–</span> <span id="answer-symbol"></span></p>
      ${facts({
        Block: html`<span class="figure" id="answer-block">–</span>`,
        Time: html`<span class="figure" id="answer-date">–</span>`,
        Finality: html`<span class="figure" id="answer-final">–</span>`,
        'Block hash': html`<span class="figure" id="answer-hash">–</span>`,
      })}
    </div>
  </section>`;
}

function callSection({ user }: Frame): Html {
  return html`<section aria-labelledby="call-title" data-script>
    <h2 id="call-title">Request</h2>
    ${codeBox({ id: 'curl', label: 'The request with curl' })}
    <div class="answer-json">${codeBox({ id: 'json', label: 'The response as JSON' })}</div>
    <p class="aside">
      This is the public demo key.
      ${
        user
          ? html`Your own is on the <a href="/dashboard">dashboard</a>.`
          : html`<a href="/sign-up">Get your own API key</a>; it takes a minute.`
      }
    </p>
  </section>`;
}

/** The page's call, for a terminal. */
function curlOf({ apiUrl, network, demoKey, devChain, example }: Demonstration): string {
  const { standard, devChain: ofDevChain = standard } = demoQuestions(network);
  const [{ token, holder, from }] = devChain ? ofDevChain : standard;
  const query = new URLSearchParams({ token_address: token, holder, from: String(from), points: '20' });
  const path =
    from === undefined
      ? exampleOf(network, example).path
      : `/v1/${network.name}/balance/series?${query.toString()}`;
  return `curl -H 'x-api-key: ${demoKey}' '${apiUrl}${path}'`;
}
