import { html, type Html } from '../html.ts';
import { formError, type FormErrors } from './form.ts';
import { moment } from './format.ts';

/** The API key as the dashboard shows it. */
export interface KeyModel {
  /** What is always visible. */
  readonly masked: string;
  /** When the previous key stops working; null if there is none. */
  readonly previousUntil: Date | null;
  /** How long the current key can keep working after a rotation. */
  readonly graces: readonly { readonly ms: number; readonly title: string }[];
}

/**
 * The API key with Show, Copy and Rotate. Show is public/key.js: POST /dashboard/projects/<id>/key → {key}, or 403
 * {error: "recent-login"}. Rotate: POST /dashboard/projects/<id>/rotate {graceMs}.
 */
export function keySection(key: KeyModel, projectId: string, errors: FormErrors | undefined): Html {
  const path = `/dashboard/projects/${encodeURIComponent(projectId)}`;
  const again = `/sign-in?again=1&next=${encodeURIComponent(path)}`;
  return html`<section
    aria-labelledby="key-title"
    class="key"
    data-key
    data-path="${path}/key"
    data-again="${again}"
  >
    <h2 id="key-title">API key</h2>
    <p>
      The Project ID. Send it with every request in the <code>x-api-key</code> header. Keep it secret: anyone
      who has it can use your quota.
    </p>
    <div class="key-line">
      <output class="figure" data-key-value data-masked="${key.masked}">${key.masked}</output>
      <div class="key-buttons">
        <button type="button" data-key-show>Show</button>
        <button type="button" data-key-copy>Copy</button>
      </div>
    </div>
    <p class="hint" role="status" data-key-status></p>
    <noscript><p class="hint">Showing and copying the key needs JavaScript.</p></noscript>
    ${
      key.previousUntil &&
      html`<p class="notice">The previous key works until ${moment(key.previousUntil)}.</p>`
    }
    ${formError(errors)}
    <details class="rotate" ${errors && html`open`}>
      <summary>Rotate</summary>
      <form method="post" action="${path}/rotate">
        <p>Creates a new key. The current one keeps working for the time you choose.</p>
        <div class="field">
          <label for="grace">Keep the current key for</label>
          <select id="grace" name="graceMs">
            ${key.graces.map(({ ms, title }) => html`<option value="${ms}">${title}</option>`)}
          </select>
        </div>
        <div class="actions"><button type="submit" class="danger">Rotate key</button></div>
      </form>
    </details>
  </section>`;
}
