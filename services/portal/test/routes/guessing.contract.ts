/** Guessing accounts, passwords and addresses, and the limits on it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from '../support/browser.ts';
import { Wallet } from 'ethers';
import { countHashes } from '../support/count-hashes.ts';
import {
  accountText,
  isSignedIn,
  newEmail,
  PASSWORD,
  signInByWallet,
  signInWith,
  signUp,
  tokenOf,
} from '../support/people.ts';
import type { Place } from '../support/run-dashboard.ts';
import { runPortal, type RunningPortal } from '../support/run-portal.ts';

export function describeGuessing(place: () => Place): void {
  let portal: RunningPortal;
  /** The same without a trusted proxy. */
  let direct: RunningPortal;

  beforeAll(async () => {
    direct = await runPortal(place());
    portal = await runPortal(place(), { trustProxy: ['127.0.0.1'] });
  });
  afterAll(async () => {
    await portal.stop();
    await direct.stop();
  });
  const fresh = (): Browser => portal.browserElsewhere();
  const from = (address: string): Browser => portal.browser({ 'x-forwarded-for': address });

  describe('the existence of an account is not revealed', () => {
    it('by the answers to sign-up, sign-in and password reset', async () => {
      const { email } = await signUp(portal);
      const outcome = async (path: string, form: Record<string, string>): Promise<string> => {
        const answer = await fresh().post(path, form);
        const text = (await answer.text()).replaceAll(form.email!, 'ADDRESS');
        return `${answer.status} ${answer.headers.get('location') ?? ''} ${text}`;
      };
      for (const path of ['/sign-up', '/forgot', '/verify/again']) {
        const [known, unknown] = [{ email }, { email: newEmail() }].map((who) => ({
          ...who,
          password: PASSWORD,
        }));
        expect(await outcome(path, known!)).toBe(await outcome(path, unknown!));
      }
      const wrong = { password: 'not the right words' };
      expect(await outcome('/sign-in', { email, ...wrong })).toBe(
        await outcome('/sign-in', { email: newEmail(), ...wrong }),
      );
      // The owner is notified by email, and no second account is created.
      expect(portal.mails.filter(({ to }) => to === email).map(({ subject }) => subject)).toContain(
        'You already have an account',
      );
    });

    it('by response times: the same number of passwords is hashed with and without an account', async () => {
      const { email } = await signUp(portal);
      const workOf = (path: string, who: string): Promise<number> =>
        countHashes(() => fresh().post(path, { email: who, password: 'not the right words' }));
      for (const [path, hashes] of [
        ['/sign-in', 1],
        ['/sign-up', 1],
        ['/forgot', 0],
        ['/verify/again', 0],
      ] as const) {
        const [known, unknown] = [await workOf(path, email), await workOf(path, newEmail())];
        expect([path, known, unknown]).toEqual([path, hashes, hashes]);
      }
    });
  });

  describe('another person’s address', () => {
    it('cannot be taken over by signing up with it first', async () => {
      const [email, attacker, victim] = [newEmail(), fresh(), fresh()];
      await attacker.post('/sign-up', { email, password: 'the attacker knows it' });
      const planted = tokenOf(await portal.linkTo(email));
      // The victim follows the attacker's link without knowing the password that it would set.
      expect((await victim.post('/verify', { token: planted })).status).toBe(422);
      const guess = await victim.post('/verify', { token: planted, password: PASSWORD });
      expect(guess.status).toBe(422);
      await victim.post('/sign-up', { email, password: PASSWORD, next: '/account' });
      await victim.post('/verify', { token: tokenOf(await portal.linkTo(email, 2)) });
      expect(await isSignedIn(victim)).toBe(true);
      expect((await attacker.post('/verify', { token: planted })).status).toBe(410);
      expect((await signInWith(attacker, email, 'the attacker knows it')).status).toBe(422);
    });

    it('cannot be confirmed by anyone but its owner', async () => {
      const [attacker, victim, email] = [
        (await signUp(portal)).browser,
        (await signUp(portal)).browser,
        newEmail(),
      ];
      await attacker.post('/account/email', { email });
      const token = tokenOf(await portal.linkTo(email));
      expect((await victim.post('/verify', { token })).status).toBe(403);
      const stranger = await fresh().post('/verify', { token });
      expect(stranger.headers.get('location')).toMatch(/^\/sign-in\?/);
      expect(await accountText(attacker)).not.toContain(`${email} , confirmed`);
    });
  });

  describe('guessing', () => {
    const spray = '203.0.113.7';

    it('from one address is limited, and X-Forwarded-For does not evade that', async () => {
      const before = from(spray);
      const statuses: number[] = [];
      for (let i = 0; i < 32; i++)
        statuses.push((await signInWith(before, newEmail(), 'Summer2026!')).status);
      expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 422));
      expect(statuses.slice(30)).toEqual([429, 429]);
      // An untrusted proxy, or entries in front of what the trusted proxy adds, change nothing.
      const spoofed = from(`192.0.2.99, ${spray}`);
      expect((await signInWith(spoofed, newEmail())).status).toBe(429);
      const spoofing: number[] = [];
      for (let i = 0; i < 40 && spoofing.at(-1) !== 429; i++) {
        const liar = direct.browser({ 'x-forwarded-for': `192.0.2.${i}` });
        spoofing.push((await signInWith(liar, newEmail(), 'Summer2026!')).status);
      }
      expect(spoofing.at(-1)).toBe(429);
    });

    it('one account from many addresses is limited too, for a while', async () => {
      const { email } = await signUp(portal);
      const statuses: number[] = [];
      for (let i = 0; i < 31; i++)
        statuses.push((await signInWith(from(`198.18.0.${i}`), email, 'not the right words')).status);
      expect(statuses.at(-1)).toBe(429);
      const refused = await signInWith(from('198.18.1.1'), email);
      expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
      portal.clock.time += 3_600_000;
      expect((await signInWith(from('198.18.1.1'), email)).status).toBe(303);
    });

    it('one account does not lock its owner out, in a browser that has signed in to it or set its password', async () => {
      const { email, browser } = await signUp(portal);
      const other = (await signUp(portal)).browser;
      for (let i = 0; i < 30; i++) await signInWith(from(`198.18.5.${i}`), email, 'not the right words');
      await browser.post('/sign-out');
      expect((await signInWith(browser, email)).status).toBe(303);
      // The mark is for this account, and made here.
      const statuses: number[] = [];
      for (const mark of [undefined, '0'.repeat(76), `${'0'.repeat(32)}-${'A'.repeat(43)}`]) {
        if (mark !== undefined) other.setCookie('hindsight-known', mark);
        statuses.push((await signInWith(other, email)).status);
      }
      expect(statuses).toEqual([429, 429, 429]);
      const forgetful = fresh();
      await forgetful.post('/forgot', { email });
      const link = await portal.linkTo(email, 2);
      await forgetful.post('/reset', { token: tokenOf(link), password: `${PASSWORD} again` });
      expect((await signInWith(forgetful, email, `${PASSWORD} again`)).status).toBe(303);
    });

    it('in a browser that has signed in is limited, too', async () => {
      const { email, browser } = await signUp(portal);
      const mark = browser.cookie('hindsight-known')!;
      const statuses: number[] = [];
      for (let i = 0; i < 31; i++) {
        const thief = from(`198.18.6.${i}`);
        thief.setCookie('hindsight-known', mark);
        statuses.push((await signInWith(thief, email, 'not the right words')).status);
      }
      expect(statuses.slice(29)).toEqual([422, 429]);
      expect((await signInWith(from('198.18.7.1'), email)).status).toBe(303);
    });

    it('successful sign-ins are not counted', async () => {
      const { email } = await signUp(portal);
      const statuses = new Set<number>();
      for (let i = 0; i < 12; i++) statuses.add((await signInWith(from('198.18.2.1'), email)).status);
      expect([...statuses]).toEqual([303]);
    });

    it('new accounts are limited per client address and day: each has free quota, wallets are free', async () => {
      const enter = (browser: Browser): Promise<Response> => signInByWallet(browser, Wallet.createRandom());
      const statuses: number[] = [];
      for (let i = 0; i < 20; i++) statuses.push((await enter(from('198.18.4.1'))).status);
      expect(new Set(statuses)).toEqual(new Set([200]));
      const refused = await enter(from('198.18.4.1'));
      expect([refused.status, await refused.json()]).toEqual([
        429,
        expect.objectContaining({ message: 'Too many accounts were created from your network today.' }),
      ]);
      // By email as well: it is one limit.
      const [email, browser] = [newEmail(), from('198.18.4.1')];
      await browser.post('/sign-up', { email, password: PASSWORD });
      expect((await browser.post('/verify', { token: tokenOf(await portal.linkTo(email)) })).status).toBe(
        429,
      );
      expect((await enter(from('198.18.4.2'))).status).toBe(200);
      portal.clock.time += 24 * 3_600_000;
      expect((await enter(from('198.18.4.1'))).status).toBe(200);
    });

    it('emails per recipient, and sign-ups per client address, are limited', async () => {
      const email = newEmail();
      const emails: number[] = [];
      for (let i = 0; i < 8; i++)
        emails.push((await from(`198.18.3.${i}`).post('/forgot', { email })).status);
      expect(emails).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
      const signUps: number[] = [];
      for (let i = 0; i < 21; i++) {
        const form = { email: newEmail(), password: PASSWORD };
        signUps.push((await from('2001:db8:1:2::' + i.toString(16)).post('/sign-up', form)).status);
      }
      expect(signUps.slice(19)).toEqual([303, 429]);
    });
  });
}
