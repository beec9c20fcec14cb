/**
 * `npm run screenshots`: pictures of every page, light, dark and on a phone, and of those that people print, on paper,
 * into docs/images. To be looked at. `npm run screenshots -- wallet token` takes those alone.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import type { Page } from 'playwright-core';
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { rotate, showKey, signUp, untilUsed } from '../support/browser/people.ts';
import { findChromium, openBrowser } from '../support/browser/chromium.ts';
import { untilReferenceStands } from '../support/browser/scalar.ts';
import { openReader } from '../support/browser/visit.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';

const FOLDER = resolve(import.meta.dirname, '../../docs/images');
const WIDE = { width: 1180, height: 820 };
const PHONE = { width: 360, height: 780 };
/** A4 within the margins of the pages' print styles. */
const PAPER = { width: 672, height: 987 };
/** Beyond this height a picture shows nothing new, and is too heavy to keep. */
const MAX_HEIGHT = 1650;
const SETTLED_WITHIN_MS = 300_000;
const MAX_HEIGHT_OF_READING = 1200;
const READING = new Set([
  'reference',
  'endpoint',
  'guides',
  'guide',
  'networks',
  'network',
  'errors',
  'search',
  'explorer',
]);

const OPEN = {
  landing: '/',
  'sign-in': '/sign-in',
  forgot: '/forgot',
  reset: '/reset',
  status: '/status',
  reference: '/reference',
  endpoint: '/reference/get-token-balance',
  guides: '/docs',
  guide: '/docs/snapshot',
  errors: '/docs/errors',
  networks: '/docs/networks',
  network: '/docs/networks/base-mainnet',
  search: '/docs/search?q=share+price',
  check: '/check',
  'not-found': '/nowhere',
};
const SIGNED_IN = { dashboard: '/dashboard', account: '/account', outbox: '/outbox' };
const OF_PROJECT = {
  keys: '/keys',
  key: '/keys/default',
  'usage-report': '/usage/report',
  orders: '/orders',
  'audit-log': '/audit',
  'project-settings': '/settings',
  'delete-project': '/delete',
};
/** Pages about a moment, and the part that appears last on each. */
const OF_A_MOMENT = {
  wallet: ['/wallet', '#statement'],
  'wallet-period': ['/wallet/period', '#statement'],
  tokens: ['/token', '#list'],
  token: [`/token?token=${TOKENS.usdc.address}&block=18000000`, '#chart'],
} as const;
const ORDER = makeOrder(1n);
const PRINTED = new Set<string>(['wallet', 'wallet-period', 'token']);

const CHOSEN = process.argv.slice(2);
const isChosen = (name: string): boolean => CHOSEN.length === 0 || CHOSEN.includes(name);

/** One page in all its colours and sizes. */
async function take(page: Page, name: string): Promise<void> {
  if (!isChosen(name)) return;
  const shots = [
    ['light', 'light', WIDE],
    ['dark', 'dark', WIDE],
    ['phone', 'light', PHONE],
  ] as const;
  for (const [look, colorScheme, size] of shots) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(size);
    await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))');
    const most = READING.has(name) ? MAX_HEIGHT_OF_READING : MAX_HEIGHT;
    const height = Math.min(await page.evaluate<number>('document.documentElement.scrollHeight'), most);
    const clip = { x: 0, y: 0, width: size.width, height };
    await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`), fullPage: true, clip });
  }
  if (PRINTED.has(name)) {
    await page.emulateMedia({ colorScheme: 'light', media: 'print' });
    await page.setViewportSize(PAPER);
    await page.screenshot({ path: join(FOLDER, `${name}-print.png`) });
    await page.emulateMedia({ media: null });
  }
  await page.setViewportSize(WIDE);
}

/** The picture that the README opens with. */
async function takeChart(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate('new Promise(requestAnimationFrame)');
    const { x, y, width, height } = (await page.locator('.drawing').boundingBox()) ?? { x: 0, y: 0, ...WIDE };
    const clip = { x: x - 20, y: y - 14, width: width + 40, height: height + 28 };
    await page.screenshot({ path: join(FOLDER, `demo-chart-${colorScheme}.png`), fullPage: true, clip });
  }
}

/** A sign-up with a mistake in it, as most begin. */
async function mistake(page: Page, portal: string): Promise<void> {
  await page.goto(`${portal}/sign-up`);
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Password').fill('password1234');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.locator('.error').waitFor();
  await take(page, 'sign-up');
}

/** A key that was shown, used, also for an order, and rotated. */
async function use(page: Page, { api }: Installation): Promise<void> {
  const key = await showKey(page);
  await fetch(`${api}/v1/eth-mainnet/orders/dex-webhook`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: ORDER.body,
  });
  const url = `${api}/v1/eth-mainnet/balance/native?holder=${HOLDERS.alice}&block_height=`;
  for (let i = 0; i < 4; i++) await fetch(url + String(18_000_000 + i), { headers: { 'x-api-key': key } });
  await untilUsed(page, '5');
  await rotate(page, '24 hours');
}

async function takeAll(installation: Installation, path: string): Promise<void> {
  const browser = await openBrowser(path);
  try {
    // Headless or not, the pictures are of what a reader's own browser is called.
    const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`;
    const { page } = await openReader(browser, { viewport: WIDE, userAgent });
    for (const [name, at] of Object.entries(OPEN)) {
      if (!isChosen(name)) continue;
      await page.goto(installation.portal + at, { waitUntil: 'networkidle' });
      await take(page, name);
    }
    await mistake(page, installation.portal);
    if (isChosen('explorer')) {
      await page.goto(`${installation.portal}/reference/explorer`);
      await untilReferenceStands(page);
      await page.evaluate('scrollTo(0, 0)');
      await take(page, 'explorer');
    }
    for (const [name, [at, last]] of Object.entries(OF_A_MOMENT)) {
      if (!isChosen(name)) continue;
      await page.goto(installation.portal + at);
      await page.locator(`${last}[data-state="known"]`).waitFor({ timeout: SETTLED_WITHIN_MS });
      await take(page, name);
    }
    await page.goto(`${installation.portal}/demo`);
    await page.locator('#progress[data-state="done"]').waitFor({ timeout: SETTLED_WITHIN_MS });
    await take(page, 'demo');
    if (isChosen('demo')) await takeChart(page);
    await signUp(page, installation, 'ada@example.org');
    await take(page, 'first-call');
    await use(page, installation);
    for (const [name, at] of Object.entries(SIGNED_IN)) {
      await page.goto(installation.portal + at, { waitUntil: 'networkidle' });
      await take(page, name);
    }
    await page.goto(`${installation.portal}/dashboard`);
    const project = page.url();
    for (const [name, at] of Object.entries({ ...OF_PROJECT, order: `/orders/${ORDER.id.split(':')[1]}` })) {
      await page.goto(project + at);
      await take(page, name);
    }
    await page.goto(`${installation.portal}/sign-in?again=1&next=/account`);
    await take(page, 'confirm');
    await page.goto(`${installation.portal}/verify`);
    await take(page, 'verify');
  } finally {
    await browser.close();
  }
}

const chromium = findChromium(process.env);
if (chromium === undefined) throw new Error('npm run screenshots needs chromium on the path');
mkdirSync(FOLDER, { recursive: true });
const installation = await startEmbedded();
try {
  await takeAll(installation, chromium);
} finally {
  await installation.stop();
}
