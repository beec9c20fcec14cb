/** Signing in and linking by keyboard, and on small windows: what happened is in view, and the focus is not lost. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  runPortalWithProviders,
  type PortalWithProviders,
} from '@hindsight/portal/test/support/portal-with-providers.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { bringWallet } from '../support/browser/people.ts';
import { describeInBrowser, eachWithReader } from '../support/browser/suite.ts';
import { openReader } from '../support/browser/visit.ts';

describeInBrowser('By keyboard, in a small window,', process.env, (browser) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-account-'));
  const reader = eachWithReader(browser, { viewport: { width: 360, height: 640 } });
  let world: PortalWithProviders;
  beforeAll(async () => {
    world = await runPortalWithProviders({ dataDir });
  });
  afterAll(async () => {
    await world?.stop();
    rmSync(dataDir, { recursive: true });
  });

  const enterBy = async (page: Page, name: string): Promise<void> => {
    await page.goto(`${world.portal.url}/sign-in`);
    await page.getByRole('link', { name }).click();
    await page.waitForURL('**/dashboard/projects/*');
  };

  it('linking the identity of another account shows why it failed, in view', async () => {
    const other = await openReader(browser());
    await enterBy(other.page, 'GitHub');
    await other.context.close();
    const { page } = reader();
    await enterBy(page, 'Google');
    await page.goto(`${world.portal.url}/account`);
    await page.getByRole('link', { name: 'Link GitHub' }).click();
    await page.getByText('This sign-in belongs to another account.').waitFor();
    const place = `(({ top, bottom }) => [document.activeElement.role, top >= 0 && bottom <= innerHeight])(
      document.querySelector('[role=alert]').getBoundingClientRect())`;
    expect(await page.evaluate(place)).toEqual(['alert', true]);
  });

  it('a wallet’s button keeps the focus when the wallet has refused, and the reason is announced', async () => {
    const { page } = reader();
    await bringWallet(page);
    await page.addInitScript(`{
      const { request } = ethereum;
      ethereum.request = async (asked) => {
        if (asked.method !== 'personal_sign') return request(asked);
        ethereum.request = request;
        // A browser takes the focus from a disabled button when it draws.
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        throw Object.assign(new Error('no'), { code: 4001 });
      };
    }`);
    await page.goto(`${world.portal.url}/sign-in`);
    // Found by its role only if it is not hidden.
    expect(await page.getByRole('status').count()).toBe(1);
    await page.getByRole('button', { name: 'Ethereum wallet' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Not signed. Nothing was changed.').waitFor();
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Ethereum wallet');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard/projects/*');
  });

  it('a wallet is linked after a new sign-in, which is asked for before any signature', async () => {
    const { page } = reader();
    const asked: string[] = [];
    await bringWallet(page);
    await page.exposeFunction('note', (method: string) => void asked.push(method));
    await page.addInitScript(`{
      const { request } = ethereum;
      ethereum.request = async (asking) => {
        await note(asking.method);
        return request(asking);
      };
    }`);
    await enterBy(page, 'Google');
    await page.goto(`${world.portal.url}/account`);
    world.portal.clock.time += 11 * 60_000;
    await page.getByRole('button', { name: 'Link a wallet' }).click();
    await page.getByRole('link', { name: 'Google' }).click();
    await page.waitForURL(({ pathname }) => pathname === '/account');
    expect(asked).toEqual(['eth_requestAccounts']);
    await page.getByRole('button', { name: 'Link a wallet' }).click();
    await page.getByText('Linked. You can now sign in with it.').waitFor();
  });

  it('a dashboard that stays open over the end of a month shows the next one, though nothing was requested', async () => {
    const { page } = reader();
    const { clock } = world.portal;
    const today = new Date(clock.time);
    const monthsOn = (months: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months);
    const resetsOn = (at: number) =>
      page.locator(`[data-usage] time[datetime="${new Date(at).toISOString().slice(0, 10)}"]`);
    clock.time = monthsOn(1) - 1;
    await enterBy(page, 'GitHub');
    await resetsOn(monthsOn(1)).waitFor();
    clock.time = monthsOn(1);
    await resetsOn(monthsOn(2)).waitFor();
    expect(await page.locator('[data-watch]').innerText()).toContain('No requests yet this month.');
  });

  it('a part that is renewed leaves the focus on its button', async () => {
    const { page } = reader();
    await page.goto(world.portal.url);
    const renewed = await page.evaluate(`import('/assets/part.js').then(({ replace }) => {
      const part = (text) => Object.assign(document.createElement('div'), { innerHTML: '<pre tabindex="0"></pre><button>' + text + '</button>' });
      const [old, fresh] = [part('Copied'), part('Copy')];
      document.body.append(old);
      old.querySelector('button').focus();
      replace(old, fresh);
      return document.activeElement.textContent;
    })`);
    expect(renewed).toBe('Copy');
  });
});
