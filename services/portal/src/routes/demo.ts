import { ETH_MAINNET } from '@hindsight/shared/chain/networks.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { demoPage } from '../pages/demo.ts';
import type { Showcase } from './landing.ts';
import { frameOf, sendPage, type PageContext } from './pages.ts';

/** `GET /demo`; what it asks, the page's own script asks of the gateway. */
export function addDemo(app: HttpServer, context: PageContext, { apiUrl, demoKey }: Showcase): void {
  app.get('/demo', async (request, reply) => {
    const frame = await frameOf(context, request);
    await sendPage(reply, demoPage({ frame, apiUrl, demoKey, network: ETH_MAINNET.name }));
  });
}
