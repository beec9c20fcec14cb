import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { outboxPage } from '../pages/outbox.ts';
import type { Outbox } from '../ports.ts';
import { frameOf, sendPage, type PageContext } from './pages.ts';

/** `GET /outbox`: letters that were not sent. For development on one machine only: whoever reads it can take over every account. */
export function addOutbox(app: HttpServer, context: PageContext, outbox: Outbox): void {
  app.get('/outbox', async (request, reply) => {
    const frame = await frameOf(context, request);
    await sendPage(reply, outboxPage({ frame, mails: outbox.mails() }));
  });
}
