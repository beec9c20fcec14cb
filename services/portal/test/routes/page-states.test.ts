/** Pages in easily forgotten states: signed in, without email, refused, compressed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newEmail, PASSWORD, signInWith, signUp } from '../support/people.ts';
import { runPortal, type RunningPortal } from '../support/run-portal.ts';

describe('a page', () => {
  let dataDir: string;
  let portal: RunningPortal;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'hindsight-states-'));
    portal = await runPortal({ dataDir });
  });
  afterAll(async () => {
    await portal.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('that reports an error shows a signed-in user as signed in, and leads back to the dashboard', async () => {
    const { browser, email } = await signUp(portal);
    for (const path of ['/nowhere', '/dashboard/projects/unknown']) {
      const text = await (await browser.get(path)).text();
      expect(text).toContain(`Sign out ${email}`);
      expect(text).toMatch(/<a class="button" href="\/dashboard">Back to dashboard<\/a>/);
      expect(text).not.toContain('href="/sign-in"');
    }
    const stranger = await (await portal.browser().get('/nowhere')).text();
    expect(stranger).toMatch(/<a class="button" href="\/">Go home<\/a>/);
    expect(stranger).not.toContain('GET /nowhere');
  });

  it('does not offer an account to those who have one', async () => {
    const { browser } = await signUp(portal);
    const answer = await browser.get('/sign-up?next=/account');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account']);
    for (const path of ['/', '/demo']) {
      const text = await (await browser.get(path)).text();
      expect(text).not.toContain('href="/sign-up');
      expect(text).toContain('href="/dashboard"');
    }
  });

  it('of a link that has expired leads a signed-in user to the account', async () => {
    const answer = await (await signUp(portal)).browser.get('/verify?token=old');
    expect(answer.status).toBe(410);
    const text = await answer.text();
    expect(text).toContain('href="/account">Your account</a>');
    expect(text).not.toContain('href="/sign-in"');
  });

  it('that refuses too many attempts says in minutes when to try again', async () => {
    const [browser, email] = [portal.browser(), newEmail()];
    let answer = await signInWith(browser, email);
    for (let i = 0; i < 8; i++) answer = await signInWith(browser, email);
    const text = await answer.text();
    expect(answer.status).toBe(429);
    expect(text).toContain('You have tried this too often.');
    expect(text).toContain('Try again in 15 minutes.');
  });

  it('has a form wait until its sender has confirmed who they are, and then continues by itself', async () => {
    const { browser, email } = await signUp(portal);
    const [fields, next] = [{ email: newEmail() }, '/sign-in/again?then=%2Faccount%2Femail'];
    portal.clock.time += 11 * 60_000;
    const asked = await browser.post('/account/email', fields);
    expect([asked.status, asked.headers.get('location')]).toEqual([307, next]);
    // As browsers do after a 307.
    const page = await (await browser.post(next, fields)).text();
    expect(page).toContain('sign in again to change your email');
    expect(page).toContain(`name="email" value="${fields.email}"`);
    expect(page).toMatch(new RegExp(`name="your-email"\\s+type="email"\\s+value="${email}"`));
    // Only by what the account has.
    expect(page).not.toContain('data-wallet');
    const wrong = await browser.post(next, { ...fields, 'your-password': 'another one' });
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('Wrong password.')]);
    const right = { ...fields, 'your-password': PASSWORD };
    const confirmed = await browser.post(next, right);
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([307, '/account/email']);
    const done = await browser.post('/account/email', right);
    expect(done.headers.get('location')).toBe('/account?done=asked');
  });

  it('says what its reader signs in again for', async () => {
    const { browser } = await signUp(portal);
    for (const [then, purpose] of [
      ['/dashboard/projects/p/keys/k', 'change your API keys'],
      ['/dashboard/projects/p/keys/k/reveal', 'see your API key'],
    ])
      expect(await (await browser.post(`/sign-in/again?then=${then}`)).text()).toContain(
        `again to ${purpose}`,
      );
  });

  it('confirms who someone is for forms of the portal only', async () => {
    const { browser } = await signUp(portal);
    for (const then of ['https://evil.example/', '//evil.example/account/x', '/sign-out', '/accounts', ''])
      for (const fields of [{}, { 'your-password': PASSWORD }]) {
        const answer = await browser.post(`/sign-in/again?then=${encodeURIComponent(then)}`, fields);
        expect(answer.status).not.toBe(307);
        expect(await answer.text()).not.toContain('evil');
      }
    const stranger = await portal.browser().post('/sign-in/again?then=/account/email');
    expect(stranger.headers.get('location')).toBe('/sign-in?next=%2Fdashboard');
  });

  it('answers no other question than the one in its address', async () => {
    for (const query of ['holder=bob.eth&date=now', 'holder=bob.eth&block=1x', 'holder=bob.eth&blok=1']) {
      const answer = await portal.browser().get(`/wallet?${query}`);
      const page = await answer.text();
      expect([answer.status, page]).toEqual([400, expect.stringContaining('role="alert"')]);
      expect(page).not.toContain('block_height=');
      expect(page).not.toContain('/assets/statement.js');
    }
  });

  it('is found by search engines if it is public', async () => {
    const answer = await portal.browser().get('/sitemap.xml');
    expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    const paths = [...(await answer.text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map(
      ([, loc = '']) => new URL(loc).pathname,
    );
    expect(paths).toEqual(expect.arrayContaining(['/', '/docs/quickstart', '/reference/get-token-balance']));
    for (const path of paths) expect([path, (await portal.browser().get(path)).status]).toEqual([path, 200]);
  });

  it('shows a wallet at a date, and without scripts the calls that ask for it', async () => {
    const text = async (path: string) => (await portal.browser().get(path)).text();
    const dated = await text('/wallet?holder=bob.eth&date=2023-08-26T16:00');
    expect(dated).toContain('/portfolio?holder=bob.eth&amp;date=2023-08-26T16%3A00%3A00Z');
    expect(dated).toContain('/allowance/list?owner=bob.eth&amp;date=');
    const hostile = await text(`/wallet?holder=${encodeURIComponent('"><script>')}`);
    expect(hostile).not.toContain('"><script>');
    expect(hostile).toContain('block_height=18000000');
    expect(await text('/wallet')).toContain('holder=0x1a9C8182C09F50C8318d769245beA52c32BE35BC');
  });

  it('shows a wallet over a period, and without scripts the calls that ask for it', async () => {
    const page = async (query: string) => {
      const answer = await portal.browser().get(`/wallet/period${query}`);
      return { status: answer.status, text: await answer.text() };
    };
    const dated = await page('?holder=bob.eth&from=2022-01-01&to=18000000');
    expect(dated.status).toBe(200);
    for (const path of ['wallet/changes', 'balance/statement'])
      expect(dated.text).toContain(
        `/${path}?holder=bob.eth&amp;from=2022-01-01T00%3A00%3A00Z&amp;to=18000000&amp;`,
      );
    for (const query of ['from=then&to=2', 'from=1&to=2&step=1', 'from=2&to=1', 'from=1']) {
      const { status, text } = await page(`?holder=bob.eth&${query}`);
      expect([status, text]).toEqual([400, expect.stringContaining('role="alert"')]);
      expect(text).not.toContain('/assets/period.js');
      expect(text).not.toContain('curl -H');
    }
    expect((await page('')).text).toContain('holder=wallet.ensdao.eth&amp;from=2022-01-01');
  });

  it('is compressed for browsers that accept it', async () => {
    const { encoding, body } = await new Promise<{ encoding: unknown; body: Buffer }>((resolve, reject) => {
      const headers = { 'accept-encoding': 'br, gzip' };
      get(`${portal.url}/sign-up`, { headers, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ encoding: answer.headers['content-encoding'], body: Buffer.concat(chunks) }),
        );
      }).on('error', reject);
    });
    expect(encoding).toBe('br');
    const plain = await fetch(`${portal.url}/sign-up`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('vary')).toContain('accept-encoding');
    expect(brotliDecompressSync(body).toString()).toBe(await plain.text());
  });
});

it('sign-up shows no email form if no email can be sent', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-states-'));
  const portal = await runPortal({ dataDir }, { env: { NODE_ENV: 'production' } });
  const text = await (await portal.browser().get('/sign-up')).text();
  expect(text).toContain('Email isn’t set up on this server');
  expect(text).not.toContain('name="password"');
  expect(text).toContain('Ethereum wallet');
  expect(await (await portal.browser().get('/forgot')).text()).not.toContain('name="email"');
  await portal.stop();
  rmSync(dataDir, { recursive: true });
});
