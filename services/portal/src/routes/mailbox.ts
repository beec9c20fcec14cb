import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { mailboxPage } from '../pages/mailbox.ts';
import type { Mailbox } from '../ports.ts';
import { showPage, type PageContext } from './pages.ts';

/** `GET /outbox`: emails that were not sent. For development on one machine: a reader can take over every account. */
export function addMailbox(app: HttpServer, context: PageContext, mailbox: Mailbox): void {
  app.get('/outbox', (request, reply) =>
    showPage(context, { request, reply }, mailboxPage, { mails: mailbox.mails() }),
  );
}
