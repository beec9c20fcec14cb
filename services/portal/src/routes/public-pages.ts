/** The public pages: landing page, demo and status. */
import type { HttpServer } from '@hindsight/http/types.ts';
import { PLANS } from '@hindsight/projects/project.ts';
import { demoPage } from '../pages/demo.ts';
import { landingPage } from '../pages/landing.ts';
import { statusPage } from '../pages/status.ts';
import type { ReadStatus } from '../status-ports.ts';
import { showPage, type PageContext } from './pages.ts';

/** What the landing page and the demo show besides text. */
export interface Showcase {
  /** The gateway's public base URL. */
  readonly apiUrl: string;
  readonly demoKey: string;
  readonly example: { readonly says: string; readonly path: string };
}

interface PublicPagesDeps {
  readonly showcase: Showcase;
  /** The network that the demo asks about, as in the API's paths. */
  readonly network: string;
  readonly readStatus: ReadStatus;
}

/** `GET /`, `GET /demo`, `GET /status`. */
export function addPublicPages(
  app: HttpServer,
  context: PageContext,
  { showcase, network, readStatus }: PublicPagesDeps,
): void {
  const plans = Object.entries(PLANS).map(([name, plan]) => ({ name, ...plan }));
  app.get('/', (request, reply) =>
    showPage(context, { request, reply }, landingPage, { ...showcase, plans }),
  );
  // The page's own script calls the gateway.
  app.get('/demo', (request, reply) =>
    showPage(context, { request, reply }, demoPage, { ...showcase, network }),
  );
  // 200 in any state; the page shows it.
  app.get('/status', async (request, reply) =>
    showPage(context, { request, reply }, statusPage, await readStatus()),
  );
}
