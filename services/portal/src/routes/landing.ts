import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { PLANS } from '@hindsight/shared/projects/project.ts';
import { landingPage } from '../pages/landing.ts';
import { frameOf, sendPage, type PageContext } from './pages.ts';

/** What the first page shows besides its words. */
export interface Showcase {
  /** The gateway's public base URL. */
  readonly apiUrl: string;
  readonly demoKey: string;
  readonly example: { readonly says: string; readonly path: string };
}

/** `GET /`: what it is, one call that works as it stands, the plans. */
export function addLanding(app: HttpServer, context: PageContext, showcase: Showcase): void {
  app.get('/', async (request, reply) => {
    const frame = await frameOf(context, request);
    const plans = Object.entries(PLANS).map(([name, plan]) => ({ name, ...plan }));
    await sendPage(reply, landingPage({ frame, ...showcase, plans }));
  });
}
