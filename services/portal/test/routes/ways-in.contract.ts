/** The four ways to sign in, as a browser sees them. */
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { Wallet } from 'ethers';

import {
  accountText,
  isSignedIn,
  linkPath,
  linkWallet,
  messageFor,
  newEmail,
  PASSWORD,
  signInByWallet,
  signInWith,
  signUp,
  tokenOf,
} from '../support/people.ts';
import { runPortalWithProviders } from '../support/portal-with-providers.ts';
import type { Place } from '../support/run-dashboard.ts';
import type { RunningPortal } from '../support/run-portal.ts';

export function describeWaysIn(place: () => Place): void {
  const world = forAllTests(() => runPortalWithProviders(place()), 'stop');
  const portal = forAllTests(async () => world.portal);
  const github = forAllTests(async () => world.github);
  const google = forAllTests(async () => world.google);

  /** Goes to a provider and comes back. */
  const through = async (browser: ReturnType<RunningPortal['browser']>, path: string): Promise<URL> =>
    (await browser.follow(await browser.get(path))).url;

  describe('email and password', () => {
    it('sign up and confirm in the same browser, which is then signed in', async () => {
      const [email, browser] = [newEmail(), portal.browser()];
      const sent = await browser.post('/sign-up', { email, password: PASSWORD, next: '/account' });
      expect([sent.status, sent.headers.get('location')]).toEqual([303, '/verify']);
      const told = await (await browser.get('/verify')).text();
      expect(told).toContain(`confirmation link to <strong>${email}</strong>`);
      expect(told).toContain(`value="${email}"`);
      expect(await (await portal.browser().get('/verify')).text()).not.toContain(email);
      expect(await isSignedIn(browser)).toBe(false);
      const link = await portal.linkTo(email);
      expect(link).toMatch(`${portal.url}/verify?token=`);
      expect(await (await browser.get(link)).text()).toContain(email);
      expect(await isSignedIn(browser)).toBe(false);
      const { url, response } = await browser.follow(await browser.post('/verify', { token: tokenOf(link) }));
      expect([url.pathname, response.status]).toEqual(['/account', 200]);
      expect(await accountText(browser)).toContain(`${email} , confirmed`);
      // Opened again, the link has nothing to send: it leads on.
      expect(await (await browser.get(link)).text()).toContain('href="/account">Your account</a>');
      const used = await (await portal.browser().get(link)).text();
      expect(used).toMatch(/href="\/sign-in">Sign in<.*href="\/sign-up">Sign up again</s);
      expect(used).not.toContain('/verify/again');
    });

    it('sign out and in again', async () => {
      const { email, browser } = await signUp(portal);
      await browser.post('/sign-out');
      expect(await isSignedIn(browser)).toBe(false);
      const wrong = await signInWith(browser, email, 'another few words');
      // The keyboard is where it can be corrected.
      expect([wrong.status, await wrong.text()]).toEqual([
        422,
        expect.stringMatching(/^(?:(?! autofocus).)*name="password"[^>]* autofocus/s),
      ]);
      expect((await signInWith(browser, email.toUpperCase())).headers.get('location')).toBe('/account');
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('another email can be requested, and its link works', async () => {
      const [email, browser] = [newEmail(), portal.browser()];
      await browser.post('/sign-up', { email, password: PASSWORD, next: '/account' });
      await portal.linkTo(email);
      await browser.post('/verify/again', { email });
      const link = await portal.linkTo(email, 2);
      await browser.post('/verify', { token: tokenOf(link) });
      expect(await isSignedIn(browser)).toBe(true);
      // From the page that another browser still shows: the email leads to the account that there is by now.
      await portal.browser().post('/verify/again', { email });
      expect(await portal.linkTo(email, 3)).toBe(`${portal.url}/sign-in`);
    });

    it('another email is not said to be sent to what is no address', async () => {
      const answer = await portal.browser().post('/verify/again', { email: 'ada@localhost' });
      const text = await answer.text();
      expect([answer.status, text]).toEqual([422, expect.stringContaining('Enter a valid email address.')]);
      expect(text).toMatch(/value="ada@localhost"/);
      expect(text).not.toContain('We’ve sent');
    });

    it('a forgotten password is reset by email, once, and all sessions end', async () => {
      const { email, browser } = await signUp(portal);
      const other = portal.browser();
      await other.post('/forgot', { email });
      const token = tokenOf(await portal.linkTo(email, 2));
      const weak = await other.post('/reset', { token, password: 'short' });
      expect(weak.status).toBe(422);
      const done = await other.post('/reset', { token, password: 'some other words' });
      expect(done.headers.get('location')).toBe('/sign-in?notice=reset');
      expect(await isSignedIn(browser)).toBe(false);
      expect((await other.post('/reset', { token, password: 'yet other words' })).status).toBe(410);
      expect((await signInWith(other, email)).status).toBe(422);
      expect((await signInWith(other, email, 'some other words')).status).toBe(303);
    });

    it('a reset leads to the sign-in, also in a browser that is signed in to another account', async () => {
      const [{ email }, browser] = [await signUp(portal), portal.browserElsewhere()];
      await signInByWallet(browser, Wallet.createRandom());
      await browser.post('/forgot', { email });
      const token = tokenOf(await portal.linkTo(email, 2));
      const done = await browser.post('/reset', { token, password: 'some other words' });
      const { url, response } = await browser.follow(done);
      expect([url.pathname, await response.text()]).toEqual([
        '/sign-in',
        expect.stringContaining('Password changed. Sign in with it.'),
      ]);
    });

    it.each(['short', 'password123', 'aaaaaaaaaaaa', 'x'.repeat(257)])(
      'refuses %s as a password',
      async (password) => {
        const sent = await portal.browser().post('/sign-up', { email: newEmail(), password });
        expect(sent.status).toBe(422);
        // A browser would cut what is pasted without a word: another password than its owner knows.
        expect(await sent.text()).not.toMatch(/name="password"[^>]*maxlength/);
      },
    );
  });

  describe.each(['github', 'google'] as const)('%s', (provider) => {
    const be = (id: number, email: string, verified: boolean): void => {
      github.user = { id, login: `user-${id}`, name: 'Mona', emails: [{ email, primary: true, verified }] };
      google.user = { sub: `g-${id}`, email, email_verified: verified, name: 'Mona', hd: 'example.org' };
    };

    it('creates an account the first time and finds it afterwards', async () => {
      const email = newEmail();
      be(11, email, true);
      const browser = portal.browser();
      expect((await through(browser, `/sign-in/${provider}?next=/account`)).pathname).toBe('/account');
      expect(await accountText(browser)).toContain(`${email} , confirmed`);
      be(11, newEmail(), true);
      const again = portal.browser();
      await through(again, `/sign-in/${provider}?next=/account`);
      expect(await accountText(again)).toContain(email);
    });

    it('signs in to the account with the same address if both sides have verified it', async () => {
      const { email, browser } = await signUp(portal);
      be(12, email, true);
      const other = portal.browser();
      await through(other, `/sign-in/${provider}`);
      await browser.get('/account');
      expect(await accountText(other)).toContain(email);
      expect((await accountText(other)).match(/Firefox on Linux/g)).toHaveLength(2);
    });

    it('never signs in to another’s account by an unverified address', async () => {
      const { email, browser } = await signUp(portal);
      be(13, email, false);
      const other = portal.browser();
      await through(other, `/sign-in/${provider}?next=/account`);
      expect(await isSignedIn(other)).toBe(true);
      const text = await accountText(other);
      expect(text).toContain('None yet.');
      // Google's own name for them is their address, verified or not.
      if (provider === 'github') expect(text).not.toContain(email);
      expect((await accountText(browser)).match(/Firefox on Linux/g)).toHaveLength(1);
    });

    it('can be linked and removed on the account page', async () => {
      const { email, browser } = await signUp(portal);
      be(14, newEmail(), true);
      // Who is asked to confirm who they are does not become another, and no account is made.
      const away = await browser.follow(await browser.get(`/sign-in/${provider}?next=/account`));
      expect([away.url.search, await away.response.text()]).toEqual([
        '?done=different',
        expect.stringContaining('This sign-in isn’t linked to this account.'),
      ]);
      // From a page of another account, nothing is linked to this one.
      const others = await through(browser, `/account/link/${provider}?account=another`);
      expect(others.search).toBe('?done=switched');
      expect((await through(browser, await linkPath(browser, provider))).search).toBe('?done=linked');
      expect((await through(browser, `/sign-in/${provider}?next=/account`)).search).toBe('');
      const other = portal.browser();
      await through(other, `/sign-in/${provider}?next=/account`);
      expect(await accountText(other)).toContain(email);
      const id = provider === 'github' ? 'github:14' : 'google:g-14';
      const removed = await browser.post('/account/unlink', { id });
      expect(removed.headers.get('location')).toBe('/account?done=removed');
      expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
    });

    it('confirms its own user only, also once their session has ended on the way', async () => {
      const [email, browser] = [newEmail(), portal.browserElsewhere()];
      be(16, email, true);
      await through(browser, `/sign-in/${provider}`);
      const page = await (await browser.get('/sign-in?again=1&next=/account')).text();
      const [, link = ''] = new RegExp(`href="(/sign-in/${provider}[^"]+)"`).exec(page) ?? [];
      const path = link.replaceAll('&amp;', '&');
      be(17, newEmail(), true);
      const other = portal.browserElsewhere();
      const { url, response } = await other.follow(await other.get(path));
      expect([url.search, await response.text()]).toEqual([
        '?notice=different',
        expect.stringContaining('isn’t linked to the account that you confirmed'),
      ]);
      expect(await isSignedIn(other)).toBe(false);
      be(16, email, true);
      await browser.post('/sign-out');
      expect((await through(browser, path)).pathname).toBe('/account');
      expect(await accountText(browser)).toContain(`${email} , confirmed`);
    });

    it('cannot be linked to two accounts', async () => {
      be(15, newEmail(), false);
      const owner = portal.browser();
      await through(owner, `/sign-in/${provider}`);
      const { browser } = await signUp(portal);
      const { url, response } = await browser.follow(await browser.get(await linkPath(browser, provider)));
      expect(url.search).toBe('?done=others');
      // Below what a window shows: the focus brings it there.
      expect(await response.text()).toMatch(/ role="alert"[^>]* autofocus>This sign-in belongs to another/);
    });
  });

  describe('google', () => {
    const signInAs = async (sub: string, email: string): Promise<string> => {
      google.user = { sub, email, email_verified: true, name: 'Mona' };
      const browser = portal.browserElsewhere();
      await through(browser, '/sign-in/google?next=/account');
      return accountText(browser);
    };

    it('does not sign in to the account of an address that Google does not manage', async () => {
      const { email } = await signUp(portal);
      expect(await signInAs('g-31', email)).toContain('None yet.');
      expect(await signInAs('g-32', `${newEmail().split('@')[0]}@gmail.com.example.org`)).toContain(
        'None yet.',
      );
    });

    it('vouches for addresses at gmail.com', async () => {
      const email = `${newEmail().split('@')[0]}@gmail.com`;
      expect(await signInAs('g-33', email)).toContain(`${email} , confirmed`);
    });
  });

  describe('an Ethereum wallet', () => {
    it('signs in, and finds its account again', async () => {
      const [wallet, browser] = [Wallet.createRandom(), portal.browserElsewhere()];
      const done = await signInByWallet(browser, wallet);
      expect([done.status, await done.json()]).toEqual([200, { next: '/account', same: false }]);
      expect(await accountText(browser)).toContain(wallet.address);
      const other = portal.browserElsewhere();
      await signInByWallet(other, wallet);
      expect((await accountText(other)).match(/Firefox on Linux/g)).toHaveLength(2);
    });

    it('confirms who someone is only if it is linked, and never signs them in as another', async () => {
      const [own, other, browser] = [Wallet.createRandom(), Wallet.createRandom(), portal.browserElsewhere()];
      await signInByWallet(browser, own);
      const refused = await signInByWallet(browser, other);
      expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('isn’t linked')]);
      expect(await (await signInByWallet(browser, own)).json()).toEqual({ next: '/account', same: true });
      expect(await accountText(browser)).toContain(own.address);
    });

    it('confirms its own user only, also once their session has ended', async () => {
      const [own, other, browser] = [Wallet.createRandom(), Wallet.createRandom(), portal.browserElsewhere()];
      await signInByWallet(browser, own);
      const page = await (await browser.get('/sign-in?again=1&next=/account')).text();
      const account = /data-account="([^"]+)"/.exec(page)?.[1];
      const confirm = async (wallet: typeof own): Promise<Response> => {
        const message = await messageFor(browser, wallet.address);
        const signature = await wallet.signMessage(message);
        return browser.postJson('/sign-in/wallet', { message, signature, next: '/account', account });
      };
      await browser.post('/sign-out');
      expect((await confirm(other)).status).toBe(422);
      expect(await (await confirm(own)).json()).toEqual({ next: '/account', same: true });
    });

    it('is not asked for a signature before a sign-in that its link needs', async () => {
      const [browser, { address }] = [portal.browserElsewhere(), Wallet.createRandom()];
      await signInByWallet(browser, Wallet.createRandom());
      const ask = async (account?: string): Promise<unknown> =>
        (await browser.postJson('/account/link/wallet/message', { address, account })).json();
      expect(await ask()).toEqual({ message: expect.stringContaining(address) });
      expect(await ask('another')).toEqual({ next: '/account?done=switched' });
      portal.clock.time += 11 * 60_000;
      expect(await ask()).toEqual({ next: '/sign-in?again=1&next=/account' });
      await browser.post('/sign-out');
      expect(await ask()).toEqual({ next: '/sign-in?again=1&next=/account' });
      expect(await (await portal.browser().get('/sign-in')).text()).toContain(
        'data-message-url="/sign-in/wallet/message"',
      );
    });

    it('can be linked; the last way to sign in cannot be removed', async () => {
      const [first, second, browser] = [
        Wallet.createRandom(),
        Wallet.createRandom(),
        portal.browserElsewhere(),
      ];
      await signInByWallet(browser, first);
      const linked = await linkWallet(browser, second);
      expect(await linked.json()).toEqual({ next: '/account?done=linked' });
      const remove = (wallet: { address: string }): Promise<Response> =>
        browser.post('/account/unlink', { id: `wallet:${wallet.address.toLowerCase()}` });
      expect((await remove(first)).status).toBe(303);
      expect((await remove(second)).status).toBe(422);
      expect(await accountText(browser)).toContain(second.address);
    });
  });
}
