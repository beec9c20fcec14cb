import { html, type Html } from '../html.ts';

interface CodeBox {
  /** Unique on its page. */
  readonly id: string;
  /** Name of the code, for screen readers. */
  readonly label: string;
  /** A script fills it in if there is none. */
  readonly text?: string;
  readonly button?: string;
  /** The script that copies: public/copy.js copies the text, public/key.js puts the key into it. */
  readonly copies?: 'text' | 'with-key';
}

export function codeBox({ id, label, text = ' ', button = 'Copy', copies = 'text' }: CodeBox): Html {
  const target = copies === 'text' ? html`data-copy="${id}"` : html`data-copy-call="${id}"`;
  return html`<div class="code">
    <pre tabindex="0" role="group" aria-label="${label}"><code id="${id}">${text}</code></pre>
    <button type="button" class="quiet" ${target} data-script>${button}</button>
  </div>`;
}
