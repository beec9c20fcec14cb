import type { StoredMail } from '../ports.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { moment } from './parts/format.ts';

export interface MailboxModel {
  /** Newest first. */
  readonly mails: readonly StoredMail[];
}

/** The development mailbox: keeps emails while no mail server is configured. */
export function mailboxPage(frame: Frame, { mails }: MailboxModel): string {
  return layout(
    frame,
    { title: 'Development mailbox', styles: ['account'] },
    html`<h1>Development mailbox</h1>
      <p>
        No mail server is configured, so emails are kept here for anyone to read. In production this page does
        not exist.
      </p>
      ${
        mails.length === 0
          ? html`<p class="empty">No emails yet. Sign up to get the first one.</p>`
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
      <p class="email">${linked(text)}</p>
    </article>
  </li>`;
}

/** Plain text with its web addresses as links. */
function linked(text: string): readonly (Html | string)[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, i) => (i % 2 === 1 ? html`<a href="${part}">${part}</a>` : part));
}
