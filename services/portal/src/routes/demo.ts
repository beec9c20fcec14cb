import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { demoPage } from '../pages/demo.ts';
import type { Showcase } from './landing.ts';
import { frameOf, sendPage, type PageContext } from './pages.ts';

interface Demo extends Showcase {
  /** As in the API's paths. */
  readonly network: string;
}

/** `GET /demo`; what it asks, the page's own script asks of the gateway. */
export function addDemo(app: HttpServer, context: PageContext, { apiUrl, demoKey, network }: Demo): void {
  app.get('/demo', async (request, reply) => {
    const frame = await frameOf(context, request);
    await sendPage(reply, demoPage({ frame, apiUrl, demoKey, network }));
  });
}
