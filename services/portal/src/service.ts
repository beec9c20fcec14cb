import type { EventBus } from '@hindsight/bus/port.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { withoutReasons } from '@hindsight/http/health.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { createHttpServer } from '@hindsight/http/server.ts';
import { addSiteFiles } from '@hindsight/http/site-files.ts';
import type { OtherService } from '@hindsight/http/other-service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { AuditLog } from '@hindsight/projects/audit.ts';
import type { StorePlace } from '@hindsight/stores/place.ts';
import type { AlertSettings } from '@hindsight/usage/alerts/ports.ts';
import type { MonthCounters } from '@hindsight/usage/counters/ports.ts';
import { loadAssets, loadAsyncApi, loadOpenApi, loadScalar } from './adapters/assets.ts';
import { createExampleAnswer } from './adapters/example-answer.ts';
import { loadGuides } from './adapters/guides.ts';
import { createProjectOrders } from './adapters/project-orders.ts';
import { openPackages } from './adapters/packages.ts';
import { openAccountStores } from './adapters/open-accounts.ts';
import { createStatusReader, type StatusSource } from './adapters/status-reader.ts';
import { operationsOf } from './domain/reference.ts';
import type { ShownNetworks } from './domain/shown-networks.ts';
import { isHttps } from './origin.ts';
import { addAccount } from './routes/account.ts';
import { addAuditLog } from './routes/audit-log.ts';
import { addAssets, sendAsset } from './routes/assets.ts';
import { addDashboard } from './routes/dashboard.ts';
import { faultSender } from './routes/faults.ts';
import { acceptForms } from './routes/forms.ts';
import { addGuides } from './routes/guides.ts';
import { addSitemap } from './routes/sitemap.ts';
import { addMailbox } from './routes/mailbox.ts';
import { addKeys } from './routes/keys.ts';
import { addOrders } from './routes/orders.ts';
import { addPackages } from './routes/packages.ts';
import { addProjectForms } from './routes/projects.ts';
import { addProviders } from './routes/providers.ts';
import { exampleOf } from './pages/parts/network-questions.ts';
import type { Showcase } from './pages/showcase.ts';
import { addPublicPages } from './routes/public-pages.ts';
import { addReference } from './routes/reference.ts';
import { addSearch } from './routes/search.ts';
import { refuseForeignOrigins } from './routes/same-origin.ts';
import { addSecurityHeaders } from './routes/security-headers.ts';
import { addRecovery, addSignIn } from './routes/sign-in.ts';
import { addSignInAgain } from './routes/sign-in-again.ts';
import { addSignUp } from './routes/sign-up.ts';
import { addWallets } from './routes/wallets.ts';
import { addUsageReport } from './routes/usage-report.ts';
import { sendAlerts, startPortalWork, type PortalWorkDeps } from './work.ts';

export { openAccountAdmin, type AccountAdmin } from './account-admin.ts';
export { PORTAL_SETTINGS, type PortalSettings } from './settings.ts';
export type { ConfirmedMailer, Mail } from './ports.ts';
export { MailNotSent } from './ports.ts';
export { sendAlerts, startPortalWork, type PortalWork } from './work.ts';

/**
 * Call it after the store was restored from a backup: sessions and links that have ended since would be valid
 * again.
 */
export async function signOutAll(store: StorePlace, lifecycle: Lifecycle): Promise<void> {
  const stores = await openAccountStores(store, lifecycle);
  await stores.signOutAll();
}

export interface PortalDeps extends Omit<PortalWorkDeps, 'mailer'> {
  readonly showcase: Showcase;
  readonly audit: AuditLog;
  readonly usage: Pick<MonthCounters, 'read'>;
  readonly alerts: AlertSettings;
  /** The orders service, for the pages of a project's orders. */
  readonly orders?: OtherService | undefined;
  /** Source of usage alerts. */
  readonly bus: Pick<EventBus, 'subscribe'>;
  /** Processes for the status page; by default the gateway at its public address. */
  readonly status?: readonly StatusSource[];
  /** Networks that pages can be about; that one by default. */
  readonly networks?: ShownNetworks;
  /** Contract wallets cannot sign in without it; the status page shows its head. */
  readonly node?: EthereumNode | undefined;
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: readonly string[];
  /** Further parts that `/readyz` reports on. */
  readonly checks?: readonly ReadinessCheck[];
}

/** Pages without lasting or public content. */
const PRIVATE = [
  '/account',
  '/dashboard',
  '/outbox',
  '/reset',
  '/verify',
  '/docs/search',
  '/reference/explorer',
];

/** Creates the portal: accounts, projects, reference and demo, as pages. Not yet listening. */
export async function createPortal(deps: PortalDeps): Promise<HttpServer> {
  const { settings, node, clock, logger, ids, lifecycle, telemetry } = deps;
  const { checks = [], trustProxy = [], networks = [deps.network] } = deps;
  const showcase = { ...deps.showcase, example: exampleOf(networks[0], deps.showcase.example) };
  const { apiUrl, demoKey } = showcase;
  const work = await startPortalWork(deps);
  const { accounts, attempts, mailbox, originOf, userProjects } = work;
  const { context } = accounts;
  const app = createHttpServer({
    logger,
    ids,
    lifecycle,
    trustProxy,
    sendFault: faultSender(context),
    checks: withoutReasons([...checks, work.check], logger),
    observed: telemetry && { service: 'portal', telemetry },
  });
  const apiOrigin = new URL(apiUrl).origin;
  addSecurityHeaders(app, { apiOrigin, https: isHttps(settings.PORTAL_URL) });
  refuseForeignOrigins(app, originOf);
  acceptForms(app);

  const sources = deps.status ?? [{ name: 'Gateway', url: apiUrl }];
  addAssets(app, loadAssets());
  addSiteFiles(app, { disallowed: PRIVATE, securityContact: settings.SECURITY_CONTACT, clock });
  app.get('/favicon.ico', (_request, reply) => reply.redirect('/assets/icon.svg', 302));
  addPublicPages(app, context, {
    showcase,
    networks,
    readStatus: createStatusReader({
      sources,
      node,
      clock,
      network: networks.length > 1 ? deps.network.name : undefined,
    }),
    exampleAnswer: createExampleAnswer({
      gatewayUrl: sources[0]?.url ?? apiUrl,
      path: showcase.example.path,
      key: demoKey,
      clock,
    }),
  });
  const guides = loadGuides(apiUrl, !settings.HIDE_OPERATIONS);
  const documented = loadOpenApi(
    apiUrl,
    networks.map(({ name }) => name),
  );
  const { loadReference } = documented;
  addGuides(app, context, { guides, loadReference, apiUrl, originOf });
  addPackages(app, { packages: openPackages(), originOf, logger });
  addSearch(app, context, guides, loadReference);
  const asyncApi = loadAsyncApi();
  app.get('/asyncapi.yaml', (request, reply) => sendAsset(request, reply, asyncApi));
  addSitemap(app, originOf, async () => [
    ...['/', '/demo', '/wallet', '/wallet/period', '/token', '/check', '/docs', '/reference', '/status'],
    ...guides.map(({ slug }) => `/docs/${slug}`),
    ...operationsOf(await loadReference()).map(({ slug }) => `/reference/${slug}`),
  ]);
  addReference(app, context, { apiOrigin, demoKey, networks, ...documented, scalar: loadScalar() });

  for (const add of [addSignUp, addSignIn, addSignInAgain, addRecovery, addProviders, addWallets, addAccount])
    add(app, accounts);
  if (mailbox !== null) addMailbox(app, context, mailbox);
  const exampleUrl = apiUrl + showcase.example.path;
  const dashboard = { ...deps, context, userProjects, attempts, apiUrl, exampleUrl };
  for (const add of [addDashboard, addProjectForms, addUsageReport, addAuditLog, addKeys])
    add(app, dashboard);
  addOrders(app, { ...dashboard, networks, orders: createProjectOrders(deps.orders ?? null) });
  sendAlerts(deps, work, { origin: () => settings.PORTAL_URL ?? addressOf(app), lifecycle });
  return app;
}

/** The portal's address on this machine. */
function addressOf(app: HttpServer): string {
  const address = app.server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : ''}`;
}
