/** Changes that owners can make to their accounts. */
import { expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { Wallet } from 'ethers';
import {
  accountText,
  isSignedIn,
  linkWallet,
  newEmail,
  PASSWORD,
  signInByWallet,
  signInWith,
  signUp,
  tokenOf,
} from '../support/people.ts';
import type { Place } from '../support/run-dashboard.ts';
import { runPortal } from '../support/run-portal.ts';

export function describeAccount(place: () => Place): void {
  const portal = forAllTests(() => runPortal(place()), 'stop');

  it('a new address replaces the former one once confirmed, and the former one is notified', async () => {
    const { email, browser } = await signUp(portal);
    const next = newEmail();
    const asked = await browser.post('/account/email', { email: next });
    expect(asked.headers.get('location')).toBe('/account?done=asked');
    const text = await accountText(browser);
    expect(text).toContain(`${email} , confirmed`);
    expect(text).toContain(`${next} replaces it once confirmed`);
    // A link in the former mailbox no longer works.
    await portal.browser().post('/forgot', { email });
    const lost = tokenOf(await portal.linkTo(email, 2));
    const done = await browser.post('/verify', { token: tokenOf(await portal.linkTo(next)) });
    expect(done.headers.get('location')).toBe('/account?done=email');
    expect(await accountText(browser)).toContain(`${next} , confirmed`);
    expect(portal.mails.filter(({ to }) => to === email).map(({ subject }) => subject)).toContain(
      'Your Hindsight email address was changed',
    );
    expect(
      (await portal.browser().post('/reset', { token: lost, password: 'some other words' })).status,
    ).toBe(410);
    const later = portal.browser();
    expect((await signInWith(later, email)).status).toBe(422);
    expect((await signInWith(later, next)).status).toBe(303);
  });

  it('a link for a new address waits for the account that asked for it, and says so', async () => {
    const [{ email, browser }, other, next] = [await signUp(portal), await signUp(portal), newEmail()];
    await browser.post('/account/email', { email: next });
    const token = tokenOf(await portal.linkTo(next));
    for (const answer of [
      await other.browser.get(`/verify?token=${token}`),
      await other.browser.post('/verify', { token }),
    ])
      expect([answer.status, await answer.text()]).toEqual([
        403,
        expect.stringContaining('This link is for another account'),
      ]);
    await browser.post('/sign-out');
    const link = `/verify?token=${token}`;
    const asked = await browser.post('/verify', { token });
    expect(asked.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(link)}`);
    await browser.post('/sign-in', { email, password: PASSWORD, next: link });
    expect((await browser.post('/verify', { token })).headers.get('location')).toBe('/account?done=email');
  });

  it('another user’s address is refused without revealing that it is in use', async () => {
    const [owner, other] = [await signUp(portal), await signUp(portal)];
    const asked = await other.browser.post('/account/email', { email: owner.email });
    expect(asked.headers.get('location')).toBe('/account?done=asked');
    const notice = portal.mails.filter(({ to }) => to === owner.email).at(-1);
    expect(notice?.subject).toBe('You already have an account');
    expect(notice?.msg).not.toContain('token=');
  });

  it('a new password ends all other sessions', async () => {
    const { email, browser } = await signUp(portal);
    const other = portal.browser();
    await signInWith(other, email);
    const wrong = await browser.post('/account/password', {
      current: 'not it at all',
      password: 'some other words',
    });
    expect(wrong.status).toBe(422);
    const done = await browser.post('/account/password', { current: PASSWORD, password: 'some other words' });
    expect(done.headers.get('location')).toBe('/account?done=password');
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
    expect((await signInWith(other, email)).status).toBe(422);
    expect((await signInWith(other, email, 'some other words')).status).toBe(303);
  });

  it('a wallet user can add an address and a password, and then remove the wallet', async () => {
    const [wallet, browser, email] = [Wallet.createRandom(), portal.browser(), newEmail()];
    await signInByWallet(browser, wallet);
    expect((await browser.post('/account/password', { password: PASSWORD })).status).toBe(422);
    await browser.post('/account/email', { email });
    await browser.post('/verify', { token: tokenOf(await portal.linkTo(email)) });
    const set = await browser.post('/account/password', { password: PASSWORD });
    expect(set.headers.get('location')).toBe('/account?done=password');
    const id = `wallet:${wallet.address.toLowerCase()}`;
    expect((await browser.post('/account/unlink', { id })).headers.get('location')).toBe(
      '/account?done=removed',
    );
    const later = portal.browser();
    await signInWith(later, email);
    expect(await accountText(later)).toContain(email);
  });

  it('a sign-in that is removed makes that of its session no newer', async () => {
    const [first, second, browser] = [Wallet.createRandom(), Wallet.createRandom(), portal.browser()];
    await signInByWallet(browser, first);
    await linkWallet(browser, second);
    portal.clock.time += 6 * 60_000;
    const removed = await browser.post('/account/unlink', { id: `wallet:${second.address.toLowerCase()}` });
    expect(removed.headers.get('location')).toBe('/account?done=removed');
    portal.clock.time += 5 * 60_000;
    const asked = await browser.post('/account/delete', { confirm: 'delete' });
    expect(asked.headers.get('location')).toBe('/sign-in/again?then=%2Faccount%2Fdelete');
  });

  it('deletion suspends its projects and frees its address', async () => {
    const { email, browser } = await signUp(portal);
    const { url } = await browser.follow(await browser.get('/dashboard'));
    const id = url.pathname.split('/').at(-1)!;
    expect((await portal.projects.findById(id))?.status).toBe('active');
    expect((await browser.post('/account/delete', { confirm: 'no' })).status).toBe(422);
    const done = await browser.post('/account/delete', { confirm: 'delete' });
    expect(done.headers.get('location')).toBe('/sign-in?notice=deleted');
    expect(await isSignedIn(browser)).toBe(false);
    expect((await portal.projects.findById(id))?.status).toBe('suspended');
    expect((await signInWith(portal.browser(), email)).status).toBe(422);
    const again = portal.browser();
    await again.post('/sign-up', { email, password: PASSWORD });
    await again.post('/verify', { token: tokenOf(await portal.linkTo(email, 3)) });
    expect((await again.get(`/dashboard/projects/${id}`)).status).toBe(404);
  });

  it('a form changes the account that its page shows, not the one that another tab has signed in to since', async () => {
    const [first, second] = [await signUp(portal), await signUp(portal)];
    const { browser } = first;
    await signInWith(portal.browser(), first.email);
    const page = await (await browser.get('/account')).text();
    const [, account = ''] = /name="account" value="([^"]*)"/.exec(page) ?? [];
    await signInWith(browser, second.email);
    for (const [path, fields] of [
      ['/account/email', { email: newEmail() }],
      ['/account/password', { current: PASSWORD, password: 'some other words' }],
      ['/account/sessions/end', { id: 'one' }],
      ['/account/sessions/end-all', {}],
      ['/account/delete', { confirm: 'delete' }],
    ] as const) {
      const refused = await browser.post(path, { ...fields, account });
      expect([path, refused.headers.get('location')]).toEqual([path, '/account?done=switched']);
    }
    expect(page.match(/name="account" value=/g)).toHaveLength(5);
    const wallet = Wallet.createRandom();
    const linked = await linkWallet(browser, wallet, account);
    expect(await linked.json()).toEqual({ next: '/account?done=switched' });
    expect(page).toContain(`data-account="${account}"`);
    expect(await accountText(browser)).toContain(`${second.email} , confirmed`);
    expect(await isSignedIn(second.browser)).toBe(true);
  });

  it('sessions end after two weeks without use, and after thirty days in any case', async () => {
    const { email, browser } = await signUp(portal);
    const day = 24 * 3_600_000;
    for (let i = 0; i < 2; i++) {
      portal.clock.time += 13 * day;
      expect(await isSignedIn(browser)).toBe(true);
    }
    portal.clock.time += 5 * day;
    expect(await isSignedIn(browser)).toBe(false);
    await signInWith(browser, email);
    portal.clock.time += 15 * day;
    expect(await isSignedIn(browser)).toBe(false);
  });
}
