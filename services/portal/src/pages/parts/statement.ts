/** Parts of the pages about a wallet: the field that names it, and the sheet that their scripts fill in. */
import { html, type Html } from '../html.ts';
import { codeBox } from './code-box.ts';
import type { Field } from './form.ts';

export function walletField(holder: string): Field {
  return {
    name: 'holder',
    label: 'Wallet or name',
    value: holder,
    required: true,
    maxLength: 260,
    autocomplete: 'off',
  };
}

/** The section with a statement, and a link to it. @param entries its tables @param facts about the answer */
export function statementSheet(entries: Html, facts: Html): Html {
  return html`<section aria-labelledby="statement-title" data-script>
    <h2 id="statement-title">Statement</h2>
    <p id="trouble" class="notice bad" role="alert" hidden></p>
    ${statement(entries, facts)}
    ${codeBox({ id: 'share', label: 'A link to this statement', button: 'Copy link' })}
  </section>`;
}

/** An answer at one moment, which a script fills in. */
export function statement(entries: Html, facts: Html): Html {
  return html`<article class="statement" id="statement" data-state="asking">
    <header>
      <p class="whose" id="whose">–</p>
      <p class="then" id="then" role="status">Asking…</p>
    </header>
    ${entries}
    <p class="meta" id="asked"></p>
    <footer>${facts}</footer>
  </article>`;
}
