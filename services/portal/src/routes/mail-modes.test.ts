/** Where letters go: printed and shown for development, nowhere to be read in production. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { newEmail, PASSWORD } from '../testing/people.ts';
import { runPortal, type RunningPortal } from '../testing/run-portal.ts';

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

it('for development the outbox shows letters with links to press', async () => {
  portal = await runPortal({ dataDir });
  const email = newEmail();
  await signUp(email);
  const shown = await (await portal.browser().get('/outbox')).text();
  expect(shown).toContain(email);
  expect(shown).toMatch(/<a href="http:[^"]+\/verify\?token=[\w-]{43}">/);
});

it('in production there is no outbox, nothing is printed, and nobody is told that a letter came', async () => {
  portal = await runPortal({ dataDir }, { env: { NODE_ENV: 'production' } });
  const answer = await signUp(newEmail());
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain('cannot send mail');
  expect((await portal.browser().post('/forgot', { email: newEmail() })).status).toBe(422);
  expect((await portal.browser().get('/outbox')).status).toBe(404);
  expect(portal.log()).not.toContain('token=');
});

it('with a mail server there is no outbox, and nothing is printed', async () => {
  portal = await runPortal({ dataDir }, { env: { SMTP_URL: 'smtp://127.0.0.1:1' } });
  expect((await signUp(newEmail())).status).toBe(303);
  expect((await portal.browser().get('/outbox')).status).toBe(404);
  expect(portal.log()).not.toContain('token=');
});

it('an id without its secret is no way to sign in, and that is said', async () => {
  portal = await runPortal({ dataDir }, { env: { GITHUB_CLIENT_ID: 'x', GOOGLE_CLIENT_SECRET: 'hunter2' } });
  expect(await (await portal.browser().get('/sign-in')).text()).not.toMatch(/\/sign-in\/(github|google)/);
  expect(portal.log()).toMatch(/GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET go together/);
  expect(portal.log()).toMatch(/GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET go together/);
  expect(portal.log()).not.toContain('hunter2');
});
