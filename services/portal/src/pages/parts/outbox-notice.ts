import type { Frame } from '../frame.ts';
import { html, type Html } from '../html.ts';

/** Where a mail is to be found that was not sent; nothing where mails are sent. */
export function outboxNotice({ outbox }: Pick<Frame, 'outbox'>): Html | null {
  if (!outbox) return null;
  return html`<p class="notice">
    No mail server is set here: the mail lies in the <a href="/outbox">development outbox</a>.
  </p>`;
}
