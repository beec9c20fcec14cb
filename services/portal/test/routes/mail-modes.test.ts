/** Emails without a mail server: logged and shown in development, written nowhere in production. */
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { newEmail, PASSWORD } from '../support/people.ts';
import { runPortal, type RunningPortal } from '../support/run-portal.ts';

let dataDir: string;
let portal: RunningPortal;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hindsight-mail-'));
});
afterEach(async () => {
  await portal.stop();
  rmSync(dataDir, { recursive: true });
});

const signUp = (email: string): Promise<Response> =>
  portal.browser().post('/sign-up', { email, password: PASSWORD });

it('in development the mailbox shows emails with working links', async () => {
  portal = await runPortal({ dataDir });
  const email = newEmail();
  await signUp(email);
  const shown = await (await portal.browser().get('/outbox')).text();
  expect(shown).toContain(email);
  expect(shown).toMatch(/<a href="http:[^"]+\/verify\?token=[\w-]{43}">/);
});

it('in production there is no mailbox, nothing is printed, and no page claims that an email was sent', async () => {
  portal = await runPortal({ dataDir }, { env: { NODE_ENV: 'production' } });
  const answer = await signUp(newEmail());
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain('Email isn’t set up');
  expect((await portal.browser().post('/forgot', { email: newEmail() })).status).toBe(422);
  expect((await portal.browser().get('/outbox')).status).toBe(404);
  expect(portal.log()).not.toContain('token=');
});

it.each<[string, { host?: string; env?: Record<string, string> }]>([
  ['listens on all interfaces', { host: '0.0.0.0' }],
  ['is reached at a public address', { env: { PORTAL_URL: 'https://portal.example' } }],
  [
    'has a public name that only begins like this machine’s',
    { env: { PORTAL_URL: 'http://127.0.0.1.example' } },
  ],
])('a portal that %s behaves as in production, and says so when it starts', async (_words, options) => {
  portal = await runPortal({ dataDir }, options);
  expect(portal.log()).toContain('SMTP_URL is not set: email sign-up is disabled');
  expect((await fetch(`${portal.url}/outbox`)).status).toBe(404);
  expect(await (await fetch(`${portal.url}/sign-up`)).text()).not.toMatch(/outbox|mailbox/);
  const headers = { origin: options.env?.PORTAL_URL ?? portal.url };
  const body = new URLSearchParams({ email: newEmail() });
  const asked = await fetch(`${portal.url}/forgot`, { method: 'POST', headers, body, redirect: 'manual' });
  expect([asked.status, await asked.text()]).toEqual([422, expect.stringContaining('Email isn’t set up')]);
  expect(portal.log()).not.toContain('token=');
});

it.each<{ host?: string; env?: Record<string, string> }>([
  { env: { PORTAL_URL: 'http://127.0.0.1:8090' } },
  { env: { PORTAL_URL: 'https://localhost' } },
  { env: { PORTAL_URL: 'http://[::1]:8090' } },
  { host: 'localhost' },
])('a portal for this machine alone has its mailbox: %j', async (options) => {
  portal = await runPortal({ dataDir }, options);
  expect((await fetch(`${portal.url}/outbox`)).status).toBe(200);
});

it('the mailbox answers only under this machine’s own names, against DNS rebinding', async () => {
  portal = await runPortal({ dataDir });
  const { port } = new URL(portal.url);
  const statusAs = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = get(`${portal.url}/outbox`, { headers: { host }, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject);
    });
  const own = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  const foreign = [
    `evil.example:${port}`,
    'evil.example',
    `127.0.0.1.evil.example:${port}`,
    `localhost@evil.example`,
  ];
  expect(await Promise.all(own.map(statusAs))).toEqual(own.map(() => 200));
  expect(await Promise.all(foreign.map(statusAs))).toEqual(foreign.map(() => 421));
});

it('with a mail server there is no mailbox, and nothing is printed', async () => {
  portal = await runPortal({ dataDir }, { env: { SMTP_URL: 'smtp://127.0.0.1:1' } });
  expect((await signUp(newEmail())).status).toBe(303);
  expect((await portal.browser().get('/outbox')).status).toBe(404);
  expect(portal.log()).not.toContain('token=');
});

it('a client id without its secret is not offered as a way to sign in, with a warning', async () => {
  portal = await runPortal({ dataDir }, { env: { GITHUB_CLIENT_ID: 'x', GOOGLE_CLIENT_SECRET: 'hunter2' } });
  expect(await (await portal.browser().get('/sign-in')).text()).not.toMatch(/\/sign-in\/(github|google)/);
  expect(portal.log()).toMatch(/GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET must be set together/);
  expect(portal.log()).toMatch(/GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET must be set together/);
  expect(portal.log()).not.toContain('hunter2');
});
