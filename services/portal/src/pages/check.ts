import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { choice, field } from './parts/form.ts';
import { emptyFacts } from './parts/moment.ts';

const LAYOUTS = { solidity: 'Solidity', vyper: 'Vyper', solady: 'Solady' };

/** GET /check: public/check.js verifies an answer in the reader's browser. Nothing that is typed there is sent. */
export function checkPage(frame: Frame): string {
  return layout(
    frame,
    {
      title: 'Check an answer',
      description: 'Check a balance, an allowance or a supply against the hash of a block, in your browser.',
      modules: ['check'],
    },
    html`<h1>Check an answer</h1>
      <p class="lead">
        With <code>proof=storage</code>, you don’t have to trust this server: the answer has a proof that
        leads from a block’s hash to the amount. This page checks it in your browser and sends nothing.
      </p>
      <p>
        Get the block’s hash from another source, such as your own node: see
        <a href="/docs/verify">Do not trust us</a>. If you don’t trust this page either,
        <code>hindsight verify</code> does the same on your machine.
      </p>
      <noscript>
        <p class="notice">
          The check runs in your browser, so it needs JavaScript. Without it, use
          <code>hindsight verify answer.json --block-hash 0x…</code>.
        </p>
      </noscript>
      ${questionForm()} ${result()}`,
  );
}

/** The field of the answer has no name, so that no browser sends it, even if the script fails. */
function questionForm(): Html {
  return html`<section aria-labelledby="question-title" data-script>
    <h2 id="question-title">Answer and trusted hash</h2>
    <form id="check">
      <div class="field">
        <label for="answer">Answer, as JSON</label>
        <textarea id="answer" rows="8" spellcheck="false" autocomplete="off" required></textarea>
      </div>
      ${field({ name: 'hash', label: 'Block hash, from your own source', required: true, maxLength: 66, autocomplete: 'off' })}
      ${field({
        name: 'index',
        label: 'Index of the token’s mapping, if you know it',
        hint: 'Find it in the token’s source or in an earlier answer. A balance of zero can be checked only with it and the layout.',
        numeric: true,
        maxLength: 78,
        autocomplete: 'off',
      })}
      ${choice('layout', 'Layout of the mapping, if you know it', LAYOUTS, undefined, 'Any')}
      <label class="choice">
        <input id="shares" type="checkbox" autocomplete="off" />
        <span>The answer is to <code>proof=shares</code>: check the shares, not the balance</span>
      </label>
      <div class="actions"><button type="submit" class="primary">Check</button></div>
    </form>
  </section>`;
}

/** Filled in by the script. */
function result(): Html {
  return html`<section aria-labelledby="result-title" id="result" data-script>
    <h2 id="result-title">Result</h2>
    <p id="verdict" class="notice" role="status">Nothing has been checked yet.</p>
    <div id="proven" hidden>
      ${emptyFacts(['Amount', 'Of', 'Block', 'Time', 'Slot'])}
      <p class="aside">
        The amount is in the smallest unit, as stored in this slot at this block. The proof doesn’t show that
        the token’s code reads this slot: compare it with the token’s source.
      </p>
    </div>
  </section>`;
}
