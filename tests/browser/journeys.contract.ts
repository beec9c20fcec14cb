/** What people do with the portal, in a real browser: the same on every topology. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import type { Browser } from 'playwright-core';
import type { Installation } from '../support/browser/installation.ts';
import { bringWallet, rotate, showKey, signIn, signUp, untilUsed } from '../support/browser/people.ts';
import { openReader, type Reader } from '../support/browser/visit.ts';

const PATH = `/v1/eth-mainnet/balance/native?holder=${HOLDERS.alice}&block_height=18000000`;
const WITHIN_MS = 90_000;

/** To be called in a `describe`. */
export function describeJourneys(browser: () => Browser, installation: () => Installation): void {
  let reader: Reader;

  beforeEach(async () => {
    reader = await openReader(browser());
  });
  afterEach(async () => {
    const { foreign, errors, context } = reader;
    await context.close();
    expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
  });

  const statusWith = async (key: string) =>
    (await fetch(`${installation().api}${PATH}`, { headers: { 'x-api-key': key } })).status;

  it(
    'from signing up to a key that works, is counted, and is rotated',
    async () => {
      const { page } = reader;
      await signUp(page, installation());
      const key = await showKey(page);
      expect(await statusWith(key)).toBe(200);
      await untilUsed(page, '1');
      await rotate(page, '24 hours');
      const second = await showKey(page);
      expect(second).not.toBe(key);
      expect([await statusWith(key), await statusWith(second)]).toEqual([200, 200]);
      await rotate(page, 'no time at all');
      const third = await showKey(page);
      expect(await statusWith(third)).toBe(200);
      await untilStatus(() => statusWith(second), 401);
      await page.reload();
      const happened = await page.getByRole('region', { name: 'What happened to this project' }).innerText();
      expect(happened.match(/Project ID shown/g)).toHaveLength(3);
      expect(happened.match(/Project ID rotated/g)).toHaveLength(2);
    },
    WITHIN_MS,
  );

  it(
    'by an Ethereum wallet, which opens the same account again',
    async () => {
      const { page } = reader;
      const { portal } = installation();
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
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.waitForURL((url) => !url.pathname.startsWith('/account'));
      expect(await enter()).toBe(project);
    },
    WITHIN_MS,
  );

  it(
    'signing out everywhere ends what is open elsewhere',
    async () => {
      const { page } = reader;
      const email = await signUp(page, installation());
      const elsewhere = await openReader(browser());
      await signIn(elsewhere.page, installation(), email);
      await page.goto(`${installation().portal}/account`);
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.waitForURL((url) => !url.pathname.startsWith('/account'));
      await elsewhere.page.reload();
      expect(new URL(elsewhere.page.url()).pathname).toBe('/sign-in');
      await elsewhere.context.close();
    },
    WITHIN_MS,
  );

  it(
    'an upgrade by the operator is there at the next look',
    async () => {
      const { page } = reader;
      await signUp(page, installation());
      expect(await page.locator('[data-plan]').innerText()).toBe('Free');
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      await installation().admin('project', 'set-plan', id, '--plan', 'growth');
      await page.reload();
      expect(await page.locator('[data-plan]').innerText()).toBe('Growth');
      expect(await page.locator('[data-usage-limit]').innerText()).toBe('5,000,000');
    },
    WITHIN_MS,
  );

  it(
    'with nothing but the keyboard, from the first page to the key',
    async () => {
      const { page } = reader;
      await signUp(page, installation());
      await page.goto(installation().portal);
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Skip to the content');
      for (const name of ['Dashboard', 'Show']) {
        await tabTo(page, name);
        expect(await hasVisibleFocus(page)).toBe(true);
        await page.keyboard.press('Enter');
        if (name === 'Dashboard') await page.waitForURL('**/dashboard/projects/*');
      }
      await page.getByRole('button', { name: 'Hide', exact: true }).waitFor();
      expect(await page.locator('[data-key-value]').innerText()).toMatch(/^hs_\w{20,}$/);
    },
    WITHIN_MS,
  );
}

type Page = Reader['page'];

function focused(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.textContent.trim()');
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    if ((await focused(page)) === name) return;
  }
  throw new Error(`Tab never came to ${name}`);
}

function hasVisibleFocus(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    'parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2 && getComputedStyle(document.activeElement).outlineStyle !== "none"',
  );
}

/** A change reaches the gateways within milliseconds; how many, a slow machine decides. */
async function untilStatus(ask: () => Promise<number>, wanted: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const status = await ask();
    if (status === wanted) return;
    if (Date.now() > deadline) throw new Error(`the answer is still ${status}, not ${wanted}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
