/** Tampering with the OAuth round trip: state, nonce, PKCE, replays, and the account it ends at. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import type { Browser } from '../support/browser.ts';
import { accountText, isSignedIn, linkPath, PASSWORD, signInWith, signUp } from '../support/people.ts';
import { runPortalWithProviders } from '../support/portal-with-providers.ts';
import type { Place } from '../support/run-dashboard.ts';
import { runPortal } from '../support/run-portal.ts';

export function describeProviderAttacks(place: () => Place): void {
  const world = forAllTests(() => runPortalWithProviders(place()), 'stop');
  const portal = forAllTests(async () => world.portal);

  /** Goes to a provider, `change` may tamper with the way there, and stops just before coming back. */
  const callbackOf = async (
    browser: Browser,
    path: string,
    change: (url: URL) => void = () => undefined,
  ): Promise<URL> => {
    const left = await browser.get(path);
    const there = new URL(left.headers.get('location')!);
    change(there);
    const { url } = await browser.follow(await browser.get(there.href), ({ pathname }) =>
      pathname.endsWith('/callback'),
    );
    return url;
  };
  const outcomeOf = async (browser: Browser, callback: URL): Promise<string> =>
    (await browser.get(callback.href)).headers.get('location') ?? 'nowhere';

  describe.each(['github', 'google'] as const)('%s', (provider) => {
    const path = `/sign-in/${provider}?next=/account`;

    it('sends a fresh state, PKCE challenge and, with ID tokens, nonce each time', async () => {
      const asked = await Promise.all(
        [1, 2].map(
          async () => new URL((await portal.browser().get(path)).headers.get('location')!).searchParams,
        ),
      );
      for (const name of ['state', 'code_challenge', ...(provider === 'google' ? ['nonce'] : [])]) {
        const values = asked.map((query) => query.get(name));
        for (const value of values) expect(value).toMatch(/^[\w-]{43}$/);
        expect(values[0]).not.toBe(values[1]);
      }
      expect(asked[0]!.get('code_challenge_method')).toBe('S256');
      expect(asked[0]!.get('redirect_uri')).toBe(`${portal.url}/sign-in/${provider}/callback`);
    });

    it.each<[string, (url: URL) => void]>([
      ['another state', (url) => url.searchParams.set('state', 'x'.repeat(43))],
      ['no state', (url) => url.searchParams.delete('state')],
      ['two states', (url) => url.searchParams.append('state', 'x'.repeat(43))],
      ['another code', (url) => url.searchParams.set('code', 'another')],
      ['no code', (url) => url.searchParams.delete('code')],
      ['another issuer', (url) => url.searchParams.set('iss', 'https://example.org/login/oauth')],
      ['an error', (url) => url.searchParams.set('error', 'access_denied')],
    ])('a return with %s does not sign in', async (_words, change) => {
      const browser = portal.browser();
      const callback = await callbackOf(browser, path);
      change(callback);
      expect(await outcomeOf(browser, callback)).toMatch(/^\/sign-in\?notice=(unknown|failed|refused)$/);
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('a return says that it was cancelled only if its user has', async () => {
      for (const [error, notice] of [
        ['access_denied', 'refused'],
        ['redirect_uri_mismatch', 'failed'],
        ['server_error', 'failed'],
      ] as const) {
        const browser = portal.browserElsewhere();
        const callback = await callbackOf(browser, path);
        callback.searchParams.delete('code');
        callback.searchParams.set('error', error);
        expect([error, await outcomeOf(browser, callback)]).toEqual([error, `/sign-in?notice=${notice}`]);
      }
      expect(portal.log()).toContain('redirect_uri_mismatch');
    });

    it('a return works once', async () => {
      const browser = portal.browser();
      const callback = await callbackOf(browser, path);
      expect(await outcomeOf(browser, callback)).toBe('/account');
      await browser.post('/sign-out');
      expect(await outcomeOf(browser, callback)).toBe('/sign-in?notice=unknown');
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('a return works only in the browser that left, so no victim is signed in as the attacker', async () => {
      const [attacker, victim] = [portal.browser(), portal.browser()];
      const callback = await callbackOf(attacker, path);
      await callbackOf(victim, path);
      expect(await outcomeOf(victim, callback)).toBe('/sign-in?notice=unknown');
      expect(await isSignedIn(victim)).toBe(false);
    });

    it('a late return is refused', async () => {
      const browser = portal.browser();
      const callback = await callbackOf(browser, path);
      portal.clock.time += 11 * 60_000;
      expect(await outcomeOf(browser, callback)).toBe('/sign-in?notice=unknown');
    });

    it('a code from another sign-in is refused: its verifier is unknown', async () => {
      const [attacker, victim] = [portal.browser(), portal.browser()];
      const theirs = await callbackOf(victim, path);
      const own = await callbackOf(attacker, path);
      own.searchParams.set('code', theirs.searchParams.get('code')!);
      expect(await outcomeOf(attacker, own)).toBe('/sign-in?notice=failed');
      expect(await isSignedIn(attacker)).toBe(false);
    });

    it('a replaced challenge is refused', async () => {
      const browser = portal.browser();
      const callback = await callbackOf(browser, path, (url) =>
        url.searchParams.set('code_challenge', 'x'.repeat(43)),
      );
      expect(await outcomeOf(browser, callback)).toBe('/sign-in?notice=failed');
    });

    it('a return at the other provider’s callback is refused', async () => {
      const browser = portal.browser();
      const callback = await callbackOf(browser, path);
      callback.pathname = `/sign-in/${provider === 'github' ? 'google' : 'github'}/callback`;
      expect(await outcomeOf(browser, callback)).toBe('/sign-in?notice=unknown');
    });

    it('linking ends in the account it began in: not after signing out, not from a foreign page', async () => {
      const { browser } = await signUp(portal);
      const other = await signUp(portal);
      const link = await linkPath(browser, provider);
      const [first, second] = [await callbackOf(browser, link), await callbackOf(browser, link)];
      await browser.post('/sign-out');
      expect(await outcomeOf(browser, first)).toBe('/sign-in?notice=switched');
      await signInWith(browser, other.email);
      expect(await outcomeOf(browser, second)).toBe('/account?done=switched');
      expect(await accountText(browser)).toContain('No linked accounts.');
      const own = await linkPath(other.browser, provider);
      const led = await other.browser.get(own, { 'sec-fetch-site': 'cross-site' });
      expect(led.status).toBe(403);
    });

    it('linking does not begin by a foreign link to the sign-in, which leads on', async () => {
      const { email } = await signUp(portal);
      const browser = portal.browser();
      const form = { email, password: PASSWORD, next: `/account/link/${provider}` };
      const { url, response } = await browser.follow(await browser.post('/sign-in', form));
      expect([url.search, await response.text()]).toEqual([
        '?done=switched',
        expect.stringContaining('Nothing has changed.'),
      ]);
    });
  });

  it('a replaced nonce is detected in the ID token', async () => {
    const browser = portal.browser();
    const callback = await callbackOf(browser, '/sign-in/google', (url) =>
      url.searchParams.set('nonce', 'x'.repeat(43)),
    );
    expect(await outcomeOf(browser, callback)).toBe('/sign-in?notice=failed');
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('unconfigured providers are not shown and have no routes', async () => {
    const plain = await runPortal(place());
    const browser = plain.browser();
    expect(await (await browser.get('/sign-in')).text()).not.toMatch(/\/sign-in\/(github|google)/);
    for (const path of ['/sign-in/github', '/sign-in/google/callback', '/account/link/github'])
      expect((await browser.get(path)).status).toBe(404);
    await plain.stop();
  });

  it('a provider that does not answer leads its user back to where they are told of it', async () => {
    const env = {
      GOOGLE_ISSUER: 'http://127.0.0.1:1',
      GOOGLE_CLIENT_ID: 'hindsight',
      GOOGLE_CLIENT_SECRET: 's',
    };
    const alone = await runPortal(place(), { env });
    const { browser } = await signUp(alone);
    for (const [visitor, path] of [
      [alone.browser(), '/sign-in?notice=failed'],
      // One who is signed in sees no page of `/sign-in`.
      [browser, '/account?done=failed'],
    ] as const)
      expect((await visitor.get('/sign-in/google')).headers.get('location')).toBe(path);
    await alone.stop();
  });

  it('a provider is known by its name to the last slash', async () => {
    const server = createServer((request, response) => {
      const issuer = `http://${request.headers.host}/o/hindsight/`;
      const endpoints = { authorization_endpoint: `${issuer}authorize`, token_endpoint: `${issuer}token` };
      const isThere = request.url === '/o/hindsight/.well-known/openid-configuration';
      response
        .writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ issuer, ...endpoints }));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/o/hindsight/`;
    const env = { GOOGLE_ISSUER: issuer, GOOGLE_CLIENT_ID: 'hindsight', GOOGLE_CLIENT_SECRET: 'secret' };
    const other = await runPortal(place(), { env });
    const left = await other.browser().get('/sign-in/google');
    expect(left.headers.get('location')).toMatch(`${issuer}authorize?`);
    await other.stop();
    await new Promise((closed) => server.close(closed).closeAllConnections());
  });
}
