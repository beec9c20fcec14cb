/** Every page of the portal, for what must hold of each: that it is accessible, and that there are pictures of it. */
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { unavailablePage } from '@hindsight/portal/test/support/written-pages.ts';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { makeOrder } from '../orders/signed-orders.ts';
import type { Installation } from './installation.ts';
import type { Showing } from './looks.ts';
import { beginSignUp, linkTo, rotate, showKey, signUp, untilUsed } from './people.ts';
import { sendRequest, untilReferenceStands } from './scalar.ts';
import { openReader, type Reader } from './visit.ts';

/** A newcomer has just signed up; a member has used their key. */
type Who = 'stranger' | 'newcomer' | 'member';

export interface PortalPage extends Showing {
  /** The name of its pictures. */
  readonly name: string;
  /** Words in capitals stand for what differs by installation: projects, an order, tokens of links in emails. */
  readonly path: string;
  readonly who?: Who;
}

const ORDER = makeOrder(1n);
/** Charts and statements may wait for a busy node. */
const SETTLED_WITHIN_MS = 600_000;

const until =
  (selector: string) =>
  (page: Page): Promise<void> =>
    page.locator(selector).waitFor({ timeout: SETTLED_WITHIN_MS });

const STRANGERS: readonly PortalPage[] = [
  { name: 'landing', path: '/' },
  { name: 'demo', path: '/demo', ready: until('#progress[data-state="done"]') },
  { name: 'wallet', path: '/wallet', ready: until('#statement[data-state="known"]') },
  { name: 'wallet-refused', path: '/wallet?blok=1' },
  { name: 'wallet-period', path: '/wallet/period', ready: until('#statement[data-state="known"]') },
  { name: 'tokens', path: '/token', ready: until('#list[data-state="known"]') },
  {
    name: 'token',
    path: `/token?token=${TOKENS.usdc.address}&block=18000000`,
    ready: until('#chart[data-state="known"]'),
  },
  { name: 'check', path: '/check' },
  { name: 'status', path: '/status' },
  { name: 'guides', path: '/docs' },
  { name: 'guide', path: '/docs/snapshot' },
  { name: 'limits', path: '/docs/limits' },
  { name: 'errors', path: '/docs/errors' },
  { name: 'events', path: '/docs/watch-orders' },
  { name: 'recipes', path: '/docs/recipes' },
  { name: 'changelog', path: '/docs/changelog' },
  { name: 'networks', path: '/docs/networks' },
  { name: 'network', path: '/docs/networks/base-mainnet' },
  { name: 'operations', path: '/docs/operations' },
  { name: 'operation', path: '/docs/operations/kubernetes' },
  { name: 'search', path: '/docs/search?q=share+price' },
  { name: 'search-without-results', path: '/docs/search?q=xylophone' },
  { name: 'reference', path: '/reference' },
  { name: 'endpoint', path: '/reference/get-token-balance' },
  { name: 'endpoint-with-body', path: '/reference/take-a-balance-snapshot' },
  { name: 'explorer', path: '/reference/explorer', ready: explorerAtTop },
  {
    name: 'explorer-request',
    path: '/reference/explorer',
    ready: untilReferenceStands,
    act: showAnswer,
    part: '[role="dialog"]',
  },
  { name: 'sign-up', path: '/sign-up' },
  { name: 'sign-up-refused', path: '/sign-up', act: choosePoorPassword },
  { name: 'sign-in', path: '/sign-in' },
  { name: 'forgot', path: '/forgot' },
  { name: 'forgot-sent', path: '/forgot', act: askForReset },
  { name: 'reset', path: '/reset?token=RESET' },
  { name: 'reset-expired', path: '/reset' },
  { name: 'verify', path: '/verify' },
  { name: 'verify-link', path: '/verify?token=CONFIRM' },
  { name: 'verify-expired', path: '/verify?token=expired' },
  { name: 'outbox', path: '/outbox' },
  { name: 'not-found', path: '/nowhere' },
  { name: 'unavailable', path: '/unavailable', prepare: serveFault },
];
const NEWCOMERS: readonly PortalPage[] = [
  { name: 'first-call', path: '/dashboard' },
  { name: 'orders-none', path: '/dashboard/projects/NEW_PROJECT/orders' },
];
const MEMBERS: readonly PortalPage[] = [
  { name: 'landing-signed-in', path: '/' },
  { name: 'dashboard', path: '/dashboard/projects/PROJECT' },
  { name: 'account', path: '/account' },
  { name: 'confirm', path: '/sign-in?again=1&next=/account' },
  { name: 'keys', path: '/dashboard/projects/PROJECT/keys' },
  { name: 'key', path: '/dashboard/projects/PROJECT/keys/default' },
  { name: 'usage-report', path: '/dashboard/projects/PROJECT/usage/report' },
  { name: 'orders', path: '/dashboard/projects/PROJECT/orders' },
  { name: 'order', path: '/dashboard/projects/PROJECT/orders/ORDER' },
  { name: 'audit-log', path: '/dashboard/projects/PROJECT/audit' },
  { name: 'project-settings', path: '/dashboard/projects/PROJECT/settings' },
  { name: 'delete-project', path: '/dashboard/projects/PROJECT/delete' },
];

/** All pages: `tests/browser/portal-pages.test.ts` compares them with the portal's routes. */
export const PORTAL_PAGES: readonly PortalPage[] = [
  // First, because keys are shown with their forms shortly after a sign-in only.
  ...MEMBERS.map((page) => ({ ...page, who: 'member' as const })),
  ...NEWCOMERS.map((page) => ({ ...page, who: 'newcomer' as const })),
  ...STRANGERS,
];

/** Readers of the pages, and addresses. */
export interface Readers {
  readonly of: (page: PortalPage) => Reader;
  readonly addressOf: (page: PortalPage) => string;
  close(): Promise<void>;
}

/** Opens a browser for each kind of reader: a stranger who waits for two emails, a newcomer, and a member. */
export async function openReaders(
  browser: Browser,
  installation: Installation,
  options: BrowserContextOptions = {},
): Promise<Readers> {
  const open = (): Promise<Reader> => openReader(browser, options);
  const [stranger, newcomer, member] = await Promise.all([open(), open(), open()]);
  const readers = { stranger, newcomer, member };
  await signUp(newcomer.page, installation);
  const NEW_PROJECT = projectOf(newcomer.page);
  const email = await signUp(member.page, installation, 'ada@example.org');
  await use(member.page, installation);
  await stranger.page.goto(`${installation.portal}/forgot`);
  await askForReset(stranger.page, email);
  const RESET = tokenOf(await linkTo(installation, email, /\/reset\?/));
  const unconfirmed = await beginSignUp(stranger.page, installation);
  const CONFIRM = tokenOf(await linkTo(installation, unconfirmed, /\/verify\?/));
  const PROJECT = projectOf(member.page);
  const order = ORDER.id.split(':')[1] ?? '';
  const places: Readonly<Record<string, string>> = { PROJECT, NEW_PROJECT, ORDER: order, RESET, CONFIRM };
  return {
    of: ({ who = 'stranger' }) => readers[who],
    addressOf: ({ path }) =>
      installation.portal + path.replaceAll(/\b[A-Z_]{5,}\b/g, (name) => places[name] ?? name),
    close: async () => void (await Promise.all(Object.values(readers).map(({ context }) => context.close()))),
  };
}

/** A key that was shown, used, also for an order, and rotated. */
async function use(page: Page, { api }: Installation): Promise<void> {
  const key = await showKey(page);
  // Like a client: what a busy machine could not answer is not counted, and asked again.
  const ask = (path: string, { headers, ...init }: RequestInit = {}): Promise<void> =>
    untilItWorks(`${path} is answered`, async () => {
      const answer = await fetch(`${api}/v1/eth-mainnet${path}`, {
        ...init,
        headers: { 'x-api-key': key, ...(headers as Record<string, string>) },
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${answer.status}`);
    });
  const headers = { 'content-type': 'application/json' };
  await ask('/orders/dex-webhook', { method: 'POST', headers, body: ORDER.body });
  for (let i = 0; i < 4; i++)
    await ask(`/balance/native?holder=${HOLDERS.alice}&block_height=${18_000_000 + i}`);
  await untilUsed(page, '5');
  await rotate(page, '24 hours');
}

function projectOf(page: Page): string {
  return new URL(page.url()).pathname.split('/')[3] ?? '';
}

function tokenOf(link: string): string {
  return new URL(link).searchParams.get('token') ?? '';
}

async function explorerAtTop(page: Page): Promise<void> {
  await untilReferenceStands(page);
  await page.evaluate('scrollTo(0, 0)');
}

async function showAnswer(page: Page): Promise<void> {
  await sendRequest(page);
  await page.getByText('200 OK').waitFor();
}

async function choosePoorPassword(page: Page): Promise<void> {
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Password').fill('password1234');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.locator('.error').waitFor();
}

async function askForReset(page: Page, email = 'nemo@example.org'): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
}

/** Has the page of a fault answered in the portal's place. */
async function serveFault(page: Page): Promise<void> {
  const answer = { status: 503, contentType: 'text/html; charset=utf-8', body: unavailablePage() };
  await page.route('**/unavailable', (route) => route.fulfill(answer));
}
