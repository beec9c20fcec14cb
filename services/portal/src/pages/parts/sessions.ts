import { html, type Html } from '../html.ts';
import { hidden } from './form.ts';
import { moment } from './format.ts';

/** A session of the reader. */
export interface SessionLine {
  readonly id: string;
  readonly current: boolean;
  /** Such as "Firefox on Linux". */
  readonly device: string;
  readonly address: string;
  readonly signedInAt: Date;
}

/** POST /account/sessions/end {id}; POST /account/sessions/end-all ends this one too. */
export function sessionsSection(sessions: readonly SessionLine[]): Html {
  return html`<section aria-labelledby="sessions-title">
    <h2 id="sessions-title">Active sessions</h2>
    <ul class="lines">
      ${sessions.map(
        ({ id, current, device, address, signedInAt }) =>
          html`<li>
            <span>
              <strong>${device}</strong>${current && ' (this device)'}, from
              <span class="figure">${address}</span>, ${moment(signedInAt)}
            </span>
            ${
              !current &&
              html`<form method="post" action="/account/sessions/end">
                ${hidden('id', id)}
                <button type="submit" class="quiet" aria-label="Sign out ${device}">Sign out</button>
              </form>`
            }
          </li>`,
      )}
    </ul>
    <form method="post" action="/account/sessions/end-all">
      <div class="actions"><button type="submit">Sign out everywhere</button></div>
    </form>
  </section>`;
}
