/** The API reference: read, and tried against the live gateway, without requests to other hosts. */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { signUp } from '../support/browser/people.ts';
import { GROUPS, untilReferenceStands } from '../support/browser/scalar.ts';
import { describeInBrowser, eachWithReader } from '../support/browser/suite.ts';

const WITHIN_MS = 180_000;

describeInBrowser('The API reference', process.env, (browser) => {
  let installation: Installation;
  const reader = eachWithReader(browser, { viewport: { width: 1280, height: 900 } });

  beforeAll(async () => {
    installation = await startEmbedded();
  }, WITHIN_MS);
  afterAll(() => installation?.stop());
  beforeEach(async () => {
    await reader().page.goto(`${installation.portal}/reference`);
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
      const answered = page.waitForResponse((response) => response.url().includes('/v1/'), {
        timeout: WITHIN_MS,
      });
      await page.getByRole('button', { name: /Test Request/ }).click({ timeout: WITHIN_MS });
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
      await page.goto(`${installation.portal}/reference`);
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
