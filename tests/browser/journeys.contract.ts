/** People's journeys through the portal, in a real browser. */
import { expect, it } from '@jest/globals';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import type { Installation } from '../support/browser/installation.ts';
import { violationsOf } from '../support/browser/axe.ts';
import {
  beginSignUp,
  bringWallet,
  linkTo,
  rotate,
  showKey,
  signIn,
  signUp,
} from '../support/browser/people.ts';
import { eachWithReader } from '../support/browser/suite.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';
import { openReader, type Reader } from '../support/browser/visit.ts';

const PATH = `/v1/eth-mainnet/balance/native?holder=${HOLDERS.alice}&block_height=18000000`;
const CHANGES_WITHIN_MS = 600_000;
const ANSWERED_WITHIN_MS = 600_000;
/** Within the plan's five requests a second. */
const ASK_EVERY_MS = 250;

/** Journeys through several services, the same on every topology. Call it in a `describe`. */
export function describeJourneys(browser: () => Browser, running: () => Installation): void {
  const reader = eachWithReader(browser);

  /** Like a client, it retries when a busy machine's stores were too slow to answer. */
  const ask = async (key: string, path = PATH, { headers, ...init }: RequestInit = {}) => {
    const sent = { ...init, headers: { 'x-api-key': key, ...(headers as Record<string, string>) } };
    for (const end = Date.now() + ANSWERED_WITHIN_MS; ; await sleep(ASK_EVERY_MS)) {
      const answer = await fetch(`${running().api}${path}`, sent);
      const { code } = (await answer.json()) as { code?: string };
      if (answer.status !== 503 || Date.now() > end) return { status: answer.status, code };
    }
  };
  const statusWith = async (key: string) => (await ask(key)).status;

  it('from signing up to a key that works, is counted, and is rotated', async () => {
    const { page } = reader();
    await signUp(page, running());
    const call = await copyCall(reader());
    const key = await showKey(page);
    expect(call).toContain(`-H 'x-api-key: ${key}' '${running().api}/v1/`);
    expect(await statusWith(key)).toBe(200);
    // Without a reload, and then without one again.
    await page.getByText('Your request has arrived.').waitFor({ timeout: CHANGES_WITHIN_MS });
    expect(await page.locator('[data-usage-used]').innerText()).toBe('1');
    await page.locator('summary', { hasText: 'View as table' }).focus();
    expect(await statusWith(key)).toBe(200);
    await page.locator('[data-requests="2"]').waitFor({ state: 'attached', timeout: CHANGES_WITHIN_MS });
    // Whoever reads by keyboard stays where they were.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('View as table');
    await rotate(page, '24 hours');
    await page.goto(page.url().replace(/\?.*/, ''));
    expect(await sectionsBelow(page, { width: 1280, height: 900 })).toEqual([]);
    const second = await showKey(page);
    expect(second).not.toBe(key);
    expect([await statusWith(key), await statusWith(second)]).toEqual([200, 200]);
    await rotate(page, 'Revoke immediately');
    const third = await showKey(page);
    expect(await statusWith(third)).toBe(200);
    await untilAnswer(() => statusWith(second), 401);
    const happened = await whatHappened(page);
    expect(happened.match(/Key revealed/g)).toHaveLength(3);
    expect(happened.match(/Key rotated/g)).toHaveLength(2);
  });

  it('an old key works until the time shown to its owner, and then no longer', async () => {
    const { page } = reader();
    await signUp(page, running());
    const key = await showKey(page);
    await rotate(page, '1 hour');
    expect(await statusWith(key)).toBe(200);
    // Short enough for a test: a later rotation may shorten the period, and the operator may choose any.
    await running().admin('project', 'rotate', projectOf(page), '--grace', '2s');
    const [, shown = ''] =
      /old keys work until <time datetime="([^"]+)"/.exec(await whatHappened(page)) ?? [];
    await untilAnswer(() => statusWith(key), 401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(shown));
    expect(await statusWith(await showKey(page))).toBe(200);
  });

  it('a key with terms is refused where it may not work, and works where it may', async () => {
    const { page } = reader();
    await signUp(page, running());
    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page.locator('summary', { hasText: 'Create a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Orders');
    await page.getByLabel('Read:').uncheck();
    await page.getByLabel('Webhook:').check();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.waitForURL('**done=created');
    const terms = page.url().replace(/\?.*/, '');
    await page.getByRole('button', { name: 'Show key' }).click();
    await page.getByText('Visible on this page only.').waitFor();
    const key = await page.locator('#secret').innerText();
    await page.goto(terms.replace(/\/keys\/.*/, '/orders'));
    await page.getByText('No orders yet').waitFor();
    const { body } = makeOrder(1n);
    const order = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    expect((await ask(key, '/v1/eth-mainnet/orders/dex-webhook', order)).status).toBe(201);
    // Without a reload.
    await page.locator('[data-live] tbody tr').waitFor({ timeout: CHANGES_WITHIN_MS });
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('[data-live] tbody a').click();
    await page.getByText('How an order ends').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await ask(key)).toEqual({ status: 403, code: 'key_scope_missing' });
    const change = async (label: string, text: string) => {
      await page.goto(terms);
      await page.getByLabel('Read:').check();
      await page.getByLabel(label).fill(text);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL('**done=changed');
    };
    await change('Allowed IP addresses', '203.0.113.7');
    await untilAnswer(async () => (await ask(key)).code, 'address_not_allowed');
    await change('Allowed IP addresses', '127.0.0.1\n::1');
    await untilAnswer(() => statusWith(key), 200);
    await change('Allowed origins', 'https://app.example.com');
    await untilAnswer(async () => (await ask(key)).code, 'origin_not_allowed');
    const onPage = { headers: { origin: 'https://app.example.com' } };
    expect((await ask(key, PATH, onPage)).status).toBe(200);
  });

  it('an alert is received once a month and threshold, however often the month crosses it', async () => {
    const { page } = reader();
    const email = await signUp(page, running());
    const [project, key] = [projectOf(page), await showKey(page)];
    await page.getByRole('link', { name: 'Usage report' }).click();
    await page.getByLabel('Alert thresholds').fill('50, 75, 100');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**done=alerts');
    const limitTo = (units: string) => {
      const limits = ['--plan', 'enterprise', '--monthly-limit', units, '--rate', '50'];
      return running().admin('project', 'set-plan', project, ...limits);
    };
    const alerts = async () => {
      const emails = await running().emailsTo(email);
      return emails.flatMap((text) => /(\d{1,3})% of the monthly limit used/.exec(text)?.[1] ?? []);
    };
    const use = async (units: number) => {
      for (let used = 0; used < units;)
        if ((await statusWith(key)) === 200) used += 1;
        else await sleep(ASK_EVERY_MS);
    };
    await limitTo('20');
    await use(10);
    await untilAnswer(async () => (await alerts()).includes('50'), true);
    // The alert of the present usage comes after any repetition of the first.
    await use(5);
    await untilAnswer(async () => (await alerts()).includes('75'), true);
    // 15 of 40 are below both again; the next 25 cross them a second time, and the limit last.
    await limitTo('40');
    await use(25);
    await untilAnswer(async () => (await alerts()).includes('100'), true);
    expect((await alerts()).sort()).toEqual(['100', '50', '75']);
    const events = ['--topic', 'usage.threshold', '--group', 'journeys', '--json', '--limit', '3'];
    const published = (await running().events(...events)).trim().split('\n');
    const reached = [
      { threshold: 50, limit: 20 },
      { threshold: 75, limit: 20 },
      { threshold: 100, limit: 40 },
    ];
    expect(published.map((line) => JSON.parse(line) as unknown)).toMatchObject(
      reached.map((each) => ({ data: { projectId: project, ...each } })),
    );
    await page.reload();
    expect(await page.getByText('limit reached at').count()).toBe(3);
  });

  it('an upgrade by the operator shows after a reload', async () => {
    const { page } = reader();
    await signUp(page, running());
    expect(await page.locator('[data-plan]').innerText()).toBe('Free');
    await running().admin('project', 'set-plan', projectOf(page), '--plan', 'growth');
    await page.reload();
    expect(await page.locator('[data-plan]').innerText()).toBe('Growth');
    expect(await page.locator('[data-usage-limit]').innerText()).toBe('5,000,000');
  });
}

/** Signing in, which needs only the portal. Call it in a `describe`. @param running with GitHub and Google as its providers */
export function describeSignIn(browser: () => Browser, running: () => Installation): void {
  const reader = eachWithReader(browser);

  it.each(['GitHub', 'Google'])(
    'by %s: to the dashboard and a key, and to the same project again',
    async (name) => {
      const { page } = reader();
      const enter = async () => {
        await page.goto(`${running().portal}/sign-in`);
        await page.getByRole('link', { name }).click();
        await page.waitForURL('**/dashboard/projects/*');
        return page.url();
      };
      const project = await enter();
      expect(await showKey(page)).toMatch(/^hs_\w{20,}$/);
      await page.goto(`${running().portal}/account`);
      expect(await page.locator('main').innerText()).toContain(name);
      await signOutEverywhere(page);
      expect(await enter()).toBe(project);
    },
  );

  it('by an Ethereum wallet, which opens the same account again', async () => {
    const { page } = reader();
    const { portal } = running();
    const address = await bringWallet(page);
    const enter = async () => {
      await page.goto(`${portal}/sign-in`);
      await page.getByRole('button', { name: 'Ethereum wallet' }).click();
      await page.waitForURL('**/dashboard/projects/*');
      return page.url();
    };
    const project = await enter();
    await page.goto(`${portal}/account`);
    expect(await page.locator('main').innerText()).toContain(address.slice(0, 6));
    await signOutEverywhere(page);
    expect(await enter()).toBe(project);
  });

  it('a double click on a form’s button sends it once: the link of an email is then not found used', async () => {
    const { page } = reader();
    const email = await beginSignUp(page, running());
    await page.goto(await linkTo(running(), email));
    const clicks = Promise.withResolvers<void>();
    const sent: string[] = [];
    // Answered only after both clicks.
    await page.route('**/verify', async (route) => {
      sent.push(route.request().method());
      await clicks.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Confirm email' }).dblclick({ delay: 20 });
    clicks.resolve();
    await page.waitForURL('**/dashboard/projects/*');
    expect(sent).toEqual(['POST']);
  });

  it('signing out everywhere ends what is open elsewhere', async () => {
    const { page } = reader();
    const email = await signUp(page, running());
    const elsewhere = await openReader(browser());
    await signIn(elsewhere.page, running(), email);
    await page.goto(`${running().portal}/account`);
    await signOutEverywhere(page);
    await elsewhere.page.reload();
    expect(new URL(elsewhere.page.url()).pathname).toBe('/sign-in');
    await elsewhere.context.close();
  });
}

type Page = Reader['page'];

function projectOf(page: Page): string {
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

/** The latest activity, as HTML. */
async function whatHappened(page: Page): Promise<string> {
  await page.reload();
  return page.locator('.activity').innerHTML();
}

/** The first call as the dashboard copies it, with the key in it. */
async function copyCall({ page, context }: Reader): Promise<string> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // Pressed again as a person would, and what is said instead is in the error.
  await untilAnswer(async () => {
    await page.getByRole('button', { name: 'Copy with key' }).first().click();
    return page.locator('[data-key-status]').innerText();
  }, 'Copied with your key.');
  return page.evaluate<string>('navigator.clipboard.readText()');
}

async function signOutEverywhere(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/account'));
}

/** The sections of a page that a window shows in part or not at all. */
async function sectionsBelow(page: Page, size: { width: number; height: number }): Promise<string[]> {
  await page.setViewportSize(size);
  return page.evaluate<string[]>(`[...document.querySelectorAll('main > section')]
    .filter((section) => section.getBoundingClientRect().bottom > innerHeight)
    .map((section) => section.innerText)`);
}

/** A change reaches the gateways within milliseconds; on a slow machine it takes longer. */
async function untilAnswer<T>(ask: () => Promise<T>, wanted: T): Promise<void> {
  const deadline = Date.now() + CHANGES_WITHIN_MS;
  for (;;) {
    const status = await ask();
    if (status === wanted) return;
    if (Date.now() > deadline)
      throw new Error(`the answer is still ${String(status)}, not ${String(wanted)}`);
    await sleep(ASK_EVERY_MS);
  }
}
