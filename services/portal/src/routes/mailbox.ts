import type { HttpServer } from '@hindsight/http/types.ts';
import { mailboxPage } from '../pages/mailbox.ts';
import { messagePage, type MessageModel } from '../pages/message.ts';
import { isLoopbackHost } from '../origin.ts';
import type { Mailbox } from '../ports.ts';
import { showPage, type PageContext } from './pages.ts';

/** `GET /outbox`: emails that were not sent. For development on one machine: a reader can take over every account. */
export function addMailbox(app: HttpServer, context: PageContext, mailbox: Mailbox): void {
  app.get('/outbox', (request, reply) => {
    if (!isLoopbackHost(request.headers.host))
      return showPage(context, reply, messagePage, misdirected(request.id), 421);
    return showPage(context, reply, mailboxPage, { mails: mailbox.mails() });
  });
}

function misdirected(requestId: string): MessageModel {
  return { status: 421, message: 'The mailbox is only available under this machine’s own name.', requestId };
}
