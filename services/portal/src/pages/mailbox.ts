import type { StoredMail } from '../ports.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { moment } from './parts/format.ts';

/** What GET /outbox shows. */
export interface MailboxModel {
  /** Newest first. */
  readonly mails: readonly StoredMail[];
}

/** The development outbox: mails lie here while no mail server is set. */
export function mailboxPage(frame: Frame, { mails }: MailboxModel): string {
  return layout(
    frame,
    { title: 'Development outbox', styles: ['account'] },
    html`<h1>Development outbox</h1>
      <p>
        No mail server is set, so mails lie here for everybody to read. In production this page does not
        exist.
      </p>
      ${
        mails.length === 0
          ? html`<p class="empty">No mail yet. Sign up, and the first one appears.</p>`
          : html`<ol class="mails">
              ${mails.map(mail)}
            </ol>`
      }`,
  );
}

function mail({ to, subject, at, text }: StoredMail): Html {
  return html`<li>
    <article>
      <h2>${subject}</h2>
      <p class="meta">to ${to}, ${moment(at)}</p>
      <p class="letter">${linked(text)}</p>
    </article>
  </li>`;
}

/** Plain text with its web addresses as links. */
function linked(text: string): readonly (Html | string)[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, i) => (i % 2 === 1 ? html`<a href="${part}">${part}</a>` : part));
}
