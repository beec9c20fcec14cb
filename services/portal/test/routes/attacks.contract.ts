/** Attacks: cross-site forms, sessions, fields, frames. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { isSignedIn, newEmail, PASSWORD, signInWith, signUp, tokenOf } from '../support/people.ts';
import type { Place } from '../support/run-dashboard.ts';
import { runPortal } from '../support/run-portal.ts';

const POSTS = [
  ...['/sign-up', '/verify', '/verify/again', '/sign-in', '/sign-out', '/forgot', '/reset'],
  ...['/sign-in/wallet/message', '/sign-in/wallet', '/account/link/wallet/message', '/account/link/wallet'],
  ...['/account/email', '/account/password', '/account/unlink', '/account/delete'],
  ...['/account/sessions/end', '/account/sessions/end-all', '/dashboard/projects'],
];

export function describeAttacks(place: () => Place): void {
  const portal = forAllTests(() => runPortal(place()), 'stop');

  describe('cross-site forms', () => {
    it.each(POSTS)('%s is refused without the portal’s own origin', async (path) => {
      const origins = [
        'https://evil.example',
        'null',
        '',
        portal.url.replace('http:', 'https:'),
        `${portal.url}0`,
      ];
      for (const origin of origins) {
        const answer = await portal.browser().post(path, {}, { origin });
        expect([origin, answer.status]).toEqual([origin, 403]);
      }
      const none = await fetch(portal.url + path, { method: 'POST', body: new URLSearchParams() });
      expect(none.status).toBe(403);
    });

    it('change nothing: the victim stays signed in', async () => {
      const { browser } = await signUp(portal);
      await browser.post('/account/sessions/end-all', {}, { origin: 'https://evil.example' });
      await browser.post('/sign-out', {}, { origin: 'https://evil.example' });
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('a foreign Host header is neither trusted nor put into an email', async () => {
      const email = newEmail();
      const form = new URLSearchParams({ email, password: PASSWORD }).toString();
      expect(await postAs('evil.example', portal.url, { origin: portal.url, form })).toBe(303);
      expect(await portal.linkTo(email)).toMatch(`${portal.url}/verify?`);
      expect(await postAs('evil.example', portal.url, { origin: 'http://evil.example', form })).toBe(403);
    });
  });

  describe('sessions', () => {
    it('cannot be fixated: the browser gets a new secret at sign-in', async () => {
      const { email } = await signUp(portal);
      const planted = 'x'.repeat(43);
      const victim = portal.browser();
      victim.setCookie('hindsight-session', planted);
      await signInWith(victim, email);
      expect(victim.cookie('hindsight-session')).not.toBe(planted);
      const attacker = portal.browser();
      attacker.setCookie('hindsight-session', planted);
      expect(await isSignedIn(attacker)).toBe(false);
    });

    it('end at sign-in and sign-out in the same browser: a previously stolen secret stops working', async () => {
      const { email, browser } = await signUp(portal);
      const stolen = [browser.cookie('hindsight-session')!];
      await signInWith(browser, email);
      stolen.push(browser.cookie('hindsight-session')!);
      await browser.post('/sign-out');
      for (const secret of stolen) {
        const thief = portal.browser();
        thief.setCookie('hindsight-session', secret);
        expect(await isSignedIn(thief)).toBe(false);
      }
    });

    it('can be ended singly or all at once, and only by their owner', async () => {
      const { email, browser } = await signUp(portal);
      const [second, stranger] = [portal.browser(), (await signUp(portal)).browser];
      await signInWith(second, email);
      const id = /name="id" value="([\w-]+)"/.exec(await (await browser.get('/account')).text())![1]!;
      await stranger.post('/account/sessions/end', { id });
      expect(await isSignedIn(second)).toBe(true);
      await browser.post('/account/sessions/end', { id });
      expect([await isSignedIn(browser), await isSignedIn(second)]).toEqual([true, false]);
      await signInWith(second, email);
      await browser.post('/account/sessions/end-all');
      expect([await isSignedIn(browser), await isSignedIn(second)]).toEqual([false, false]);
      expect(await isSignedIn(stranger)).toBe(true);
    });

    it('cookies are HttpOnly, and Secure behind https', async () => {
      const secure = await runPortal(place(), { env: { PORTAL_URL: 'https://portal.example' } });
      const cookieOf = async (url: string, origin: string, email: string): Promise<string[]> => {
        const body = new URLSearchParams({ email, password: PASSWORD });
        return (
          await fetch(`${url}/sign-in`, {
            method: 'POST',
            body,
            redirect: 'manual',
            headers: { origin },
          })
        ).headers.getSetCookie();
      };
      const { email } = await signUp(portal);
      const [plain = ''] = await cookieOf(portal.url, portal.url, email);
      expect(plain).toMatch(/^hindsight-session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
      const [behind = ''] = await cookieOf(secure.url, 'https://portal.example', email);
      expect(behind).toMatch(/^__Host-hindsight-session=[\w-]{43}; .*Path=\/; .*HttpOnly.*Secure/);
      expect((await fetch(secure.url)).headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
      await secure.stop();
    });
  });

  it('input is escaped on every page that shows it', async () => {
    const nasty = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
    const browser = portal.browser({ 'user-agent': nasty });
    const pages = [
      await browser.post('/sign-up', { email: nasty, password: nasty, next: nasty }),
      await browser.post('/sign-in', { email: nasty, password: nasty, next: nasty }),
      await browser.post('/forgot', { email: nasty }),
      await browser.post('/reset', { token: nasty, password: nasty }),
      await browser.post('/verify', { token: nasty }),
      await browser.get(`/verify?token=${encodeURIComponent(nasty)}`),
      await browser.get(`/sign-in?next=${encodeURIComponent(nasty)}&notice=${encodeURIComponent(nasty)}`),
      await browser.get(`/${encodeURIComponent(nasty)}`),
    ];
    const email = newEmail();
    await browser.post('/sign-up', { email, password: PASSWORD, next: '/account' });
    await browser.post('/verify', { token: tokenOf(await portal.linkTo(email)) });
    pages.push(
      await browser.get(`/account?done=${encodeURIComponent(nasty)}`),
      await browser.post('/account/email', { email: nasty }),
      await browser.post('/account/password', { current: nasty, password: nasty }),
      await browser.post('/account/unlink', { id: nasty }),
      await browser.post('/account/delete', { confirm: nasty }),
    );
    for (const page of pages) {
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      expect(await page.text()).not.toMatch(/<script>alert|<img src=x/);
    }
  });

  it('a form of thousands of fields is refused before they are read', async () => {
    const answer = await fetch(`${portal.url}/sign-in`, {
      method: 'POST',
      headers: { origin: portal.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: '+&'.repeat(8_000),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('more than 20 fields');
  });

  it('pages cannot be framed and run no foreign scripts', async () => {
    for (const path of ['/', '/sign-in', '/account', '/nowhere', '/assets/theme.js']) {
      const { headers } = await portal.browser().get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(
        /default-src 'self'.*script-src 'self';.*frame-ancestors 'none'.*base-uri 'none'/,
      );
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
    }
  });

  it('sensitive actions require a recent sign-in', async () => {
    const { email, browser } = await signUp(portal);
    portal.clock.time += 11 * 60_000;
    for (const path of ['/account/email', '/account/password', '/account/unlink', '/account/delete']) {
      const answer = await browser.post(path, {
        confirm: 'delete',
        password: 'some other words',
        current: PASSWORD,
      });
      // New passwords are typed again; the other forms wait, with their fields.
      const then = encodeURIComponent(path);
      expect(answer.headers.get('location')).toBe(
        path === '/account/password' ? '/sign-in?again=1&next=/account' : `/sign-in/again?then=${then}`,
      );
    }
    await signInWith(browser, email);
    expect(
      (await browser.post('/account/password', { current: 'x', password: 'some other words' })).status,
    ).toBe(422);
  });

  it('no secret is logged, except in emails that are printed for want of a mail server', async () => {
    const { browser } = await signUp(portal);
    const password = `${randomUUID()} secret`;
    await browser.post('/account/password', { current: password, password });
    const log = portal
      .log()
      .split('\n')
      .filter((line) => !line.includes('for want of SMTP_URL'))
      .join('\n');
    for (const secret of [
      password,
      PASSWORD,
      browser.cookie('hindsight-session')!,
      browser.cookie('hindsight-browser')!,
    ])
      expect(log).not.toContain(secret);
  });
}

/** Status of a form that is sent with a forged Host header. */
function postAs(
  host: string,
  url: string,
  { origin, form }: { origin: string; form: string },
): Promise<number> {
  const headers = { host, origin, 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const sending = request(`${url}/sign-up`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sending.on('error', reject).end(form);
  });
}
