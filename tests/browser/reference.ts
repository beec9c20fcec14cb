/** The API reference: read on a slow line and without scripts; tried in the explorer, against the live gateway. */
import { expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Installation } from '../support/browser/installation.ts';
import { weigh } from '../support/browser/measure.ts';
import { signUp } from '../support/browser/people.ts';
import { GROUPS, sendRequest, untilReferenceStands } from '../support/browser/scalar.ts';
import { openReader, type Reader } from '../support/browser/visit.ts';

/** Bytes that arrive in 2 s at 400 kbit/s, less a round trip of 400 ms. */
const READABLE_BYTES = 80_000;
const PAGES = ['/reference', '/reference/get-token-balance', '/reference/call-a-view'];

/** To be called in a `describe`. */
export function describeReference(browser: () => Browser, running: () => Installation): void {
  it.each(PAGES)('%s is readable after 80 KB, of which no font holds the text back', async (path) => {
    const { page, context } = await openReader(browser());
    const { bytes } = await weigh(page, running().portal + path, 'h1');
    await context.close();
    expect(bytes).toBeGreaterThan(3_000);
    expect(bytes).toBeLessThanOrEqual(READABLE_BYTES);
  });

  it('is read and searched without scripts', async () => {
    const { page, context } = await openReader(browser(), { javaScriptEnabled: false });
    const { portal } = running();
    const heading = (level: number, name: string) =>
      page.getByRole('heading', { level, name, exact: true }).waitFor();
    await page.goto(`${portal}/reference`);
    await page.getByLabel('Search the documentation').fill('rate limit');
    await page.getByRole('button', { name: 'Search' }).click();
    await page
      .getByRole('link', { name: /Rate limits$/ })
      .first()
      .click();
    await heading(2, 'Rate limits');
    await page.getByRole('link', { name: 'Get token balance', exact: true }).click();
    for (const name of ['curl', 'TypeScript', 'Python', 'Go']) await heading(3, name);
    await page.getByRole('link', { name: 'unknown_name' }).click();
    await page.waitForURL(`${portal}/docs/errors#unknown_name`);
    await page.locator('tr#unknown_name').waitFor();
    await context.close();
  });

  it('tries endpoints in the explorer with the demo key, and shows it nothing of who is signed in', async () => {
    const { portal, api, demoKey } = running();
    const viewport = { width: 1280, height: 900 };
    const { page, context, errors, foreign } = await openReader(browser(), { viewport });
    const email = await signUp(page, running());
    expect((await context.cookies(portal)).map(({ name }) => name)).toContain('hindsight-session');
    await page.goto(`${portal}/reference/explorer`);
    await untilReferenceStands(page, [...GROUPS, api]);
    expect(await page.locator('#reference').innerText()).toContain(api);

    // An endpoint, with its example unchanged.
    const response = await sendRequest(page);
    expect(response.url()).toMatch(new RegExp(`^${api}/v1/eth-mainnet/balance/single\\?`));
    expect(response.request().headers()['x-api-key']).toBe(demoKey);
    expect(await response.json()).toMatchObject({ token_symbol: 'USDC', checked_at_block: 18_000_000 });
    expect(errors.splice(0)).toEqual([]);

    await expectNothingOf(email, page, portal);
    // Refusals of the content policy for the lines above.
    expect(errors.filter((line) => !line.includes('Content Security Policy'))).toEqual([]);
    expect(foreign).toEqual([]);
    await context.close();
  });
}

/** The page's scripts get no cookie, storage, name or page of the portal. */
async function expectNothingOf(email: string, page: Reader['page'], portal: string): Promise<void> {
  expect(await page.evaluate('origin')).toBe('null');
  expect(await page.content()).not.toContain(email);
  for (const name of ['document.cookie', 'sessionStorage', 'indexedDB.open("x")'])
    expect(await page.evaluate(`(() => { try { return ${name} } catch { return 'refused' } })()`)).toBe(
      'refused',
    );
  for (const path of ['/account', '/dashboard', '/openapi.json']) {
    const asked = `fetch('${portal}${path}', { credentials: 'include' })`;
    expect(await page.evaluate(`${asked}.then(() => 'answered', () => 'refused')`)).toBe('refused');
  }
}
