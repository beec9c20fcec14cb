/** The API reference: read on a slow line and without scripts; tried in the explorer, against the live gateway. */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { weigh } from '../support/browser/measure.ts';
import { signUp } from '../support/browser/people.ts';
import { GROUPS, untilReferenceStands } from '../support/browser/scalar.ts';
import { openReader } from '../support/browser/visit.ts';
import { describeInBrowser, eachWithReader } from '../support/browser/suite.ts';

const WITHIN_MS = 180_000;

/** What 400 kbit/s bring in 2 s, less a round trip of 400 ms. */
const READABLE_BYTES = 80_000;
const PAGES = ['/reference', '/reference/get-token-balance', '/reference/call-a-view'];

describeInBrowser('The API reference', process.env, (browser) => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startEmbedded();
  }, WITHIN_MS);
  afterAll(() => installation?.stop());

  it.each(PAGES)(
    '%s is readable after 80 KB, of which no font holds the text back',
    async (path) => {
      const { page, context } = await openReader(browser());
      const { bytes } = await weigh(page, installation.portal + path, 'h1');
      await context.close();
      expect(bytes).toBeGreaterThan(3_000);
      expect(bytes).toBeLessThanOrEqual(READABLE_BYTES);
    },
    WITHIN_MS,
  );

  it(
    'is read and searched without scripts',
    async () => {
      const { page, context } = await openReader(browser(), { javaScriptEnabled: false });
      await page.goto(`${installation.portal}/reference`);
      await page.getByLabel('Search the documentation').fill('rate limit');
      await page.getByRole('button', { name: 'Search' }).click();
      await page
        .getByRole('link', { name: /Rate limits$/ })
        .first()
        .click();
      expect(await page.getByRole('heading', { level: 2, name: 'Rate limits' }).isVisible()).toBe(true);
      await page.getByRole('link', { name: 'Get token balance', exact: true }).click();
      for (const name of ['curl', 'TypeScript', 'Python', 'Go'])
        expect(await page.getByRole('heading', { level: 3, name, exact: true }).isVisible()).toBe(true);
      await page.getByRole('link', { name: 'unknown_name' }).click();
      expect(page.url()).toBe(`${installation.portal}/docs/errors#unknown_name`);
      expect(await page.getByRole('heading', { level: 3, name: 'unknown_name' }).isVisible()).toBe(true);
      await context.close();
    },
    WITHIN_MS,
  );
});

describeInBrowser('The API explorer', process.env, (browser) => {
  let installation: Installation;
  const reader = eachWithReader(browser, { viewport: { width: 1280, height: 900 } });

  beforeAll(async () => {
    installation = await startEmbedded();
  }, WITHIN_MS);
  afterAll(() => installation?.stop());
  beforeEach(async () => {
    await reader().page.goto(`${installation.portal}/reference/explorer`);
  });

  it(
    'shows every group of endpoints, from this host alone',
    async () => {
      const { page } = reader();
      await untilReferenceStands(page, [...GROUPS, installation.api]);
      expect(await page.locator('#reference').innerText()).toContain(installation.api);
    },
    WITHIN_MS,
  );

  it(
    'tries an endpoint on the live gateway with the demo key and the example unchanged',
    async () => {
      const { page } = reader();
      // The first operation is below the introduction.
      await untilReferenceStands(page);
      const answered = page.waitForResponse((response) => response.url().includes('/v1/'), {
        timeout: WITHIN_MS,
      });
      await page
        .getByRole('button', { name: /Test Request/ })
        .first()
        .click({ timeout: WITHIN_MS });
      await page.getByRole('button', { name: /^Send/ }).first().click({ timeout: WITHIN_MS });
      const response = await answered;
      expect(response.url()).toMatch(new RegExp(`^${installation.api}/v1/eth-mainnet/balance/single\\?`));
      expect(response.status()).toBe(200);
      expect(response.request().headers()['x-api-key']).toBe(installation.demoKey);
      expect(await response.json()).toMatchObject({ token_symbol: 'USDC', checked_at_block: 18_000_000 });
    },
    WITHIN_MS,
  );

  it(
    'shows its scripts nothing of who is signed in: no cookie, storage, name or page of the portal',
    async () => {
      const { page, context } = reader();
      const email = await signUp(page, installation);
      expect((await context.cookies(installation.portal)).map(({ name }) => name)).toContain(
        'hindsight-session',
      );
      await page.goto(`${installation.portal}/reference/explorer`);
      await untilReferenceStands(page);
      expect(await page.evaluate('origin')).toBe('null');
      expect(await page.content()).not.toContain(email);
      for (const name of ['document.cookie', 'sessionStorage', 'indexedDB.open("x")'])
        expect(await page.evaluate(`(() => { try { return ${name} } catch { return 'refused' } })()`)).toBe(
          'refused',
        );
      for (const path of ['/account', '/dashboard', '/openapi.json']) {
        const asked = `fetch('${installation.portal}${path}', { credentials: 'include' })`;
        expect(await page.evaluate(`${asked}.then(() => 'answered', () => 'refused')`)).toBe('refused');
      }
      // What the content policy refused above; the reader expects no errors otherwise.
      const { errors } = reader();
      expect(errors.filter((line) => !line.includes('Content Security Policy'))).toEqual([]);
      errors.splice(0);
    },
    WITHIN_MS,
  );
});
