/** GitHub and Google, by servers that check what theirs check. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startGithub, type GithubServer } from '../../services/portal/src/testing/github-server.ts';
import { startOpenId, type OpenIdServer } from '../../services/portal/src/testing/openid-server.ts';
import { startEmbedded, type Installation } from '../support/browser/installation.ts';
import { showKey } from '../support/browser/people.ts';
import { describeInBrowser } from '../support/browser/suite.ts';
import { openReader, type Reader } from '../support/browser/visit.ts';

const WITHIN_MS = 90_000;

describeInBrowser('Signing in to the portal by other accounts', process.env, (browser) => {
  let github: GithubServer;
  let google: OpenIdServer;
  let installation: Installation;
  let reader: Reader;

  beforeAll(async () => {
    [github, google] = await Promise.all([startGithub(), startOpenId()]);
    installation = await startEmbedded({
      ...{
        GITHUB_URL: github.url,
        GITHUB_CLIENT_ID: github.clientId,
        GITHUB_CLIENT_SECRET: github.clientSecret,
      },
      ...{
        GOOGLE_ISSUER: google.issuer,
        GOOGLE_CLIENT_ID: google.clientId,
        GOOGLE_CLIENT_SECRET: google.clientSecret,
      },
    });
    google.serve(installation.portal);
  }, WITHIN_MS);
  afterAll(async () => {
    await installation.stop();
    await Promise.all([github.close(), google.close()]);
  });
  beforeEach(async () => {
    reader = await openReader(browser());
  });
  afterEach(async () => {
    const { foreign, errors, context } = reader;
    await context.close();
    expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
  });

  it.each(['GitHub', 'Google'])(
    'by %s: to the dashboard and a key, and to the same project again',
    async (name) => {
      const { page } = reader;
      const enter = async () => {
        await page.goto(`${installation.portal}/sign-in`);
        await page.getByRole('link', { name }).click();
        await page.waitForURL('**/dashboard/projects/*');
        return page.url();
      };
      const project = await enter();
      expect(await showKey(page)).toMatch(/^hs_\w{20,}$/);
      await page.goto(`${installation.portal}/account`);
      expect(await page.locator('main').innerText()).toContain(name);
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.waitForURL((url) => !url.pathname.startsWith('/account'));
      expect(await enter()).toBe(project);
    },
    WITHIN_MS,
  );
});
