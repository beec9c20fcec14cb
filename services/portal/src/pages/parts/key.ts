import { html, type Html } from '../html.ts';
import { formError, hidden, type FormErrors } from './form.ts';
import { moment } from './format.ts';
import { rotationForm } from './rotation.ts';

export interface KeyModel {
  /** Of the key to rotate: another tab may have revoked it since. */
  readonly keyId: string;
  /** The end of the previous key, unix milliseconds; undefined if there is none. */
  readonly previousUntil: number | undefined;
  readonly hasExpired: boolean;
  /** The key itself, only on the page on which its owner requested it. */
  readonly revealed?: Revealed | undefined;
}

export interface Revealed {
  readonly key: string;
  /** Show or Copy was pressed: public/key.js finishes a copy that a sign-in interrupted. */
  readonly then: string;
}

/** Shows nothing of the key: only an audited reveal may narrow it down. */
const MASKED = 'hs_••••••••••••••••';

export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/**
 * The API key with Show, Copy and Rotate. public/key.js shows and copies without leaving the page: POST
 * /dashboard/projects/<id>/key → {key}, or 403 {error: "recent-login"}; then, and without scripts, the form is sent.
 * Rotate: POST /dashboard/projects/<id>/rotate {key, graceMs}.
 */
export function keyPart(key: KeyModel, path: string, errors: FormErrors | undefined): Html {
  const { keyId, revealed, previousUntil, hasExpired } = key;
  const status = revealed && 'Visible. This view was recorded in the audit log.';
  return html`<div class="key-row">
      <form
        class="key-line"
        method="post"
        action="${path}/key"
        data-key="${path}"
        data-then="${revealed?.then ?? ''}"
      >
        <output class="figure" aria-label="API key" data-key-value data-masked="${MASKED}"
          >${revealed?.key ?? MASKED}</output
        >
        ${hidden('as', 'page')}
        ${
          revealed
            ? html`<button formmethod="get" formaction="${path}" data-key-show>Hide</button>`
            : html`<button name="then" value="show" data-key-show>Show</button>`
        }
        <button name="then" value="copy" data-key-copy data-script>Copy</button>
        <p class="hint" role="status" data-key-status>${status}</p>
      </form>
      <details ${errors && html`open`}>
        <summary class="button">Rotate</summary>
        ${rotationForm(path, keyId)}
      </details>
    </div>
    ${hasExpired && html`<p class="notice bad">This key has expired. Requests return 401.</p>`}
    ${previousUntil && html`<p class="hint">The previous key works until ${moment(previousUntil)}.</p>`}
    ${formError(errors)}`;
}
