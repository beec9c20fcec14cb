import { deviceOf } from '../../domain/device.ts';
import type { Session } from '../../ports.ts';
import { html, type Html } from '../html.ts';
import { hidden } from './form.ts';
import { moment } from './format.ts';

/** POST /account/sessions/end {id}; POST /account/sessions/end-all ends this one too. @param current the id of this one */
export function sessionsSection(account: string, sessions: readonly Session[], current: string): Html {
  return html`<section aria-labelledby="sessions-title">
    <h2 id="sessions-title">Active sessions</h2>
    <ul class="lines">
      ${sessions.map((session) => line(session, session.id === current))}
    </ul>
    <form method="post" action="/account/sessions/end-all">
      ${hidden('account', account)}
      <div class="actions"><button type="submit">Sign out everywhere</button></div>
    </form>
  </section>`;
}

function line({ id, userId, agent, address, signedInAt }: Session, isCurrent: boolean): Html {
  const device = deviceOf(agent);
  return html`<li>
    <span>
      <strong>${device}</strong>${isCurrent && ' (this device)'}, from <span class="figure">${address}</span>,
      ${moment(signedInAt)}
    </span>
    ${
      !isCurrent &&
      html`<form method="post" action="/account/sessions/end">
        ${hidden('account', userId)} ${hidden('id', id)}
        <button type="submit" class="quiet" aria-label="Sign out ${device}">Sign out</button>
      </form>`
    }
  </li>`;
}
