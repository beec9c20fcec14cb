import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { statusPage } from '../pages/status.ts';
import type { ReadStatus } from '../status-ports.ts';
import { frameOf, sendPage, type PageContext } from './pages.ts';

/** `GET /status`: 200 whatever the state is; the page says it. */
export function addStatus(app: HttpServer, context: PageContext, read: ReadStatus): void {
  app.get('/status', async (request, reply) => {
    const [frame, status] = await Promise.all([frameOf(context, request), read()]);
    await sendPage(reply, statusPage({ frame, ...status }));
  });
}
