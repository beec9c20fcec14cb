/** The public pages: landing page, demo, a wallet at a date and over a period, a token at a date, the check of an answer, and status. */
import type { HttpServer } from '@hindsight/http/types.ts';
import { chosenNetwork, type ShownNetwork, type ShownNetworks } from '../domain/shown-networks.ts';
import { checkPage } from '../pages/check.ts';
import { demoPage } from '../pages/demo.ts';
import { landingPage } from '../pages/landing.ts';
import type { Frame } from '../pages/frame.ts';
import type { Demonstration, Showcase } from '../pages/showcase.ts';
import { periodQuestion, walletQuestions } from '../pages/parts/network-questions.ts';
import { statusPage, type StatusModel } from '../pages/status.ts';
import { tokenPage } from '../pages/token.ts';
import { walletPage } from '../pages/wallet.ts';
import { walletPeriodPage } from '../pages/wallet-period.ts';
import type { Query } from './forms.ts';
import { showPage, type PageContext } from './pages.ts';
import { readPeriodQuery, readTokenQuery, readWalletQuery, type Read } from './page-questions.ts';
import { PUBLIC_FILE_HEADERS } from './security-headers.ts';

interface PublicPagesDeps {
  readonly showcase: Showcase;
  readonly networks: ShownNetworks;
  readonly readStatus: () => Promise<StatusModel>;
  /** The answer to the example; null until the gateway gives one. */
  readonly exampleAnswer: () => Promise<string | null>;
}

/** `GET /`, `/demo`, `/wallet`, `/wallet/period`, `/token`, `/check`, `/status` and `/status.json`. */
export function addPublicPages(
  app: HttpServer,
  context: PageContext,
  { showcase, networks, readStatus, exampleAnswer }: PublicPagesDeps,
): void {
  app.get('/', async (_request, reply) => {
    await showPage(context, reply, landingPage, { ...showcase, answer: await exampleAnswer() });
  });
  // The scripts of these pages call the gateway.
  app.get<Query>('/demo', (request, reply) => {
    const network = chosenNetwork(networks, request.query.network);
    return showPage(context, reply, demoPage, { ...showcase, network, networks });
  });
  const addQuestion = <Asked extends Read<object>>(
    path: string,
    page: (frame: Frame, model: Demonstration & Asked) => string,
    read: (query: Query['Querystring'], network: ShownNetwork) => Asked,
  ) =>
    app.get<Query>(path, (request, reply) => {
      const { network: asked, ...query } = request.query;
      const network = chosenNetwork(networks, asked);
      const model = { ...showcase, network, networks, ...read(query, network) };
      return showPage(context, reply, page, model, model.errors ? 400 : 200);
    });
  addQuestion('/wallet', walletPage, (query, network) => {
    const examples = walletQuestions(network, showcase);
    return { ...readWalletQuery(query, examples[0]!), examples };
  });
  addQuestion('/wallet/period', walletPeriodPage, (query, network) =>
    readPeriodQuery(query, periodQuestion(network, showcase)),
  );
  addQuestion('/token', tokenPage, readTokenQuery);
  app.get('/check', (_request, reply) => showPage(context, reply, checkPage, {}));
  // 200 in any state; the page shows it.
  app.get('/status', async (_request, reply) => showPage(context, reply, statusPage, await readStatus()));
  app.get('/status.json', async (_request, reply) => {
    const { checkedAt, parts, head } = await readStatus();
    const status = { checked_at: checkedAt, up: parts.every(({ state }) => state === 'up'), parts, head };
    await reply.headers({ ...PUBLIC_FILE_HEADERS, 'cache-control': 'no-store' }).send(status);
  });
}
