import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { moment } from './parts/format.ts';

/** A mail that was not sent because no mail server is set. */
export interface OutboxMail {
  readonly to: string;
  readonly subject: string;
  readonly at: Date;
  readonly text: string;
}

export interface OutboxModel {
  readonly frame: Frame;
  /** Newest first. */
  readonly mails: readonly OutboxMail[];
}

/** The development outbox: mails lie here while no mail server is set. */
export function outboxPage({ frame, mails }: OutboxModel): string {
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

function mail({ to, subject, at, text }: OutboxMail): Html {
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
