/** The public pages: landing page, demo, a wallet at a date and over a period, a token at a date, the check of an answer, and status. */
import type { HttpServer } from '@hindsight/http/types.ts';
import { chosenNetwork, type ShownNetworks } from '../domain/shown-networks.ts';
import { checkPage } from '../pages/check.ts';
import { demoPage } from '../pages/demo.ts';
import { landingPage } from '../pages/landing.ts';
import type { Showcase } from '../pages/showcase.ts';
import { periodQuestion, walletQuestions } from '../pages/parts/network-questions.ts';
import { statusPage, type StatusModel } from '../pages/status.ts';
import { tokenPage } from '../pages/token.ts';
import { walletPage } from '../pages/wallet.ts';
import { walletPeriodPage } from '../pages/wallet-period.ts';
import type { Query } from './forms.ts';
import { showPage, type PageContext } from './pages.ts';
import { readPeriodQuery, readTokenQuery, readWalletQuery } from './page-questions.ts';
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
  app.get('/', async (request, reply) => {
    await showPage(context, { request, reply }, landingPage, { ...showcase, answer: await exampleAnswer() });
  });
  // The scripts of these pages call the gateway.
  app.get<Query>('/demo', (request, reply) => {
    const network = chosenNetwork(networks, request.query.network);
    return showPage(context, { request, reply }, demoPage, { ...showcase, network, networks });
  });
  app.get<Query>('/wallet', (request, reply) => {
    const { network: asked, ...query } = request.query;
    const network = chosenNetwork(networks, asked);
    const examples = walletQuestions(network, showcase);
    const { question, errors } = readWalletQuery(query, examples[0]!);
    const model = { ...showcase, network, networks, question, examples, errors };
    return showPage(context, { request, reply }, walletPage, model, errors ? 400 : 200);
  });
  app.get<Query>('/wallet/period', (request, reply) => {
    const { network: asked, ...query } = request.query;
    const network = chosenNetwork(networks, asked);
    const { question, errors } = readPeriodQuery(query, periodQuestion(network, showcase));
    const model = { ...showcase, network, networks, question, errors };
    return showPage(context, { request, reply }, walletPeriodPage, model, errors ? 400 : 200);
  });
  app.get<Query>('/token', (request, reply) => {
    const { network: asked, ...query } = request.query;
    const network = chosenNetwork(networks, asked);
    const { question, errors } = readTokenQuery(query);
    const model = { ...showcase, network, networks, question, errors };
    return showPage(context, { request, reply }, tokenPage, model, errors ? 400 : 200);
  });
  app.get('/check', (request, reply) => showPage(context, { request, reply }, checkPage, {}));
  // 200 in any state; the page shows it.
  app.get('/status', async (request, reply) =>
    showPage(context, { request, reply }, statusPage, await readStatus()),
  );
  app.get('/status.json', async (_request, reply) => {
    const { checkedAt, parts, head } = await readStatus();
    const status = { checked_at: checkedAt, up: parts.every(({ state }) => state === 'up'), parts, head };
    await reply.headers({ ...PUBLIC_FILE_HEADERS, 'cache-control': 'no-store' }).send(status);
  });
}
