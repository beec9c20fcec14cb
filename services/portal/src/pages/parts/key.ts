import { html, type Html } from '../html.ts';
import { formError, type FormErrors } from './form.ts';
import { moment } from './format.ts';

/** The Project ID as the dashboard shows it. */
export interface KeyModel {
  /** What may always be seen of it. */
  readonly masked: string;
  /** Until when the key before this one works; null when there is none. */
  readonly previousUntil: Date | null;
  /** How long the old key may go on working, to choose from. */
  readonly graces: readonly { readonly ms: number; readonly title: string }[];
}

/**
 * Project ID with Show, Copy and Rotate. Show is public/key.js: POST /dashboard/projects/<id>/key → {key}, or 403
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
    <h2 id="key-title">Project ID</h2>
    <p>
      Sent with every request, in the header <code>x-api-key</code>. Whoever has it spends this project’s
      limit.
    </p>
    <div class="key-line">
      <output class="figure" data-key-value data-masked="${key.masked}">${key.masked}</output>
      <div class="key-buttons">
        <button type="button" data-key-show aria-pressed="false">Show</button>
        <button type="button" data-key-copy>Copy</button>
      </div>
    </div>
    <p class="hint" role="status" data-key-status></p>
    ${
      key.previousUntil &&
      html`<p class="notice">The Project ID before this one works until ${moment(key.previousUntil)}.</p>`
    }
    ${formError(errors)}
    <details class="rotate" ${errors && html`open`}>
      <summary>Rotate</summary>
      <form method="post" action="${path}/rotate">
        <p>A new Project ID takes the place of this one, which goes on working for a while.</p>
        <div class="field">
          <label for="grace">The old one goes on working for</label>
          <select id="grace" name="graceMs">
            ${key.graces.map(({ ms, title }) => html`<option value="${ms}">${title}</option>`)}
          </select>
        </div>
        <div class="actions"><button type="submit" class="danger">Rotate the Project ID</button></div>
      </form>
    </details>
  </section>`;
}
