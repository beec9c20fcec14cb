/** `npm run admin -- account …` beside a running portal. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { runAdminHere } from '../support/admin-here.ts';
import { startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';

const EMAIL = 'ada@example.org';

describe('npm run admin -- account', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-admin-accounts-'));
  const env = { DATA_DIR: dataDir, PORTAL_URL: 'https://hindsight.example.org/' };
  let hindsight: HindsightProcess;
  beforeAll(async () => {
    const { url } = await sharedDevchain(process.env);
    hindsight = await startHindsight({ DATA_DIR: dataDir, ETH_RPC_URL: url });
    await send('/sign-up', { email: EMAIL, password: 'first choice of words' });
  });
  afterAll(async () => {
    await hindsight.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const send = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(hindsight.portalUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: hindsight.portalUrl },
      body: new URLSearchParams(fields),
    });
  const signIn = async (password: string): Promise<number> =>
    (await send('/sign-in', { email: EMAIL, password })).status;
  const json = async (...words: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await runAdminHere(env, 'account', ...words, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const refusal = async (...words: string[]): Promise<string> => {
    const { code, stderr } = await runAdminHere(env, 'account', ...words);
    expect(code).toBe(1);
    return stderr;
  };

  it('refuses addresses without a pending sign-up or an account', async () => {
    expect(await refusal('confirm', 'eve@example.org')).toBe(
      'error: no sign-up of eve@example.org is waiting\n',
    );
    expect(await refusal('reset', EMAIL)).toBe(`error: ${EMAIL} has no account\n`);
    expect(await signIn('first choice of words')).toBe(422);
  });

  it('confirms a sign-up, once: its owner signs in', async () => {
    expect(await json('confirm', 'Ada@Example.org')).toMatchObject({
      email: EMAIL,
      signs_in_with: 'password',
    });
    expect(await signIn('first choice of words')).toBe(303);
    expect(await refusal('confirm', EMAIL)).toMatch('no sign-up');
  });

  it('confirms no password where another browser has signed up with the address since', async () => {
    const [shared, password] = ['shared@example.org', 'the choice of a stranger'];
    await send('/sign-up', { email: shared, password: 'the choice of its owner' });
    await send('/sign-up', { email: shared, password });
    const { code, stdout, stderr } = await runAdminHere(env, 'account', 'confirm', shared, '--json');
    expect([code, stderr]).toEqual([0, expect.stringContaining('has no password')]);
    expect(JSON.parse(stdout)).toMatchObject({ email: shared, signs_in_with: '' });
    expect((await send('/sign-in', { email: shared, password })).status).toBe(422);
    const { link } = (await json('reset', shared)) as { link: string };
    const token = new URL(link).searchParams.get('token')!;
    expect((await send('/reset', { token, password: 'second choice of words' })).status).toBe(303);
  });

  it('owns a project that is created for it', async () => {
    const { accounts } = (await json('list')) as { accounts: { account: string }[] };
    const owner = accounts[0]!.account;
    const run = async (...words: string[]) => (await runAdminHere(env, 'project', ...words)).stdout;
    const made = await run('create', '--name', 'Ada', '--plan', 'free', '--owner', owner, '--json');
    const { project } = JSON.parse(made) as { project: string };
    expect(JSON.parse(await run('show', project, '--json'))).toMatchObject({ project, owner });
    expect(await run('show', project)).toMatch(new RegExp(`^owner +${owner}$`, 'm'));
  });

  it('lists accounts without secrets', async () => {
    const { accounts } = (await json('list')) as { accounts: { account: string }[] };
    expect(accounts).toHaveLength(2);
    for (const each of accounts)
      expect(Object.keys(each)).toEqual(['account', 'email', 'signs_in_with', 'created']);
    expect(await json('list', '--after', accounts[1]!.account)).toEqual({ accounts: [] });
    expect((await runAdminHere(env, 'account', 'list')).stdout).toMatch(
      /^account .*\n(.*\n)?.*ada@example\.org/,
    );
  });

  it('makes no link without the address of the portal, and says which setting has it', async () => {
    const { code, stderr } = await runAdminHere({ DATA_DIR: dataDir }, 'account', 'reset', EMAIL);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: PORTAL_URL is not set: .*PORTAL_URL=http:/),
    ]);
  });

  it('makes a link that sets a password, once', async () => {
    const { link } = (await json('reset', EMAIL)) as { link: string };
    expect(link).toMatch(/^https:\/\/hindsight\.example\.org\/reset\?token=[\w-]{20,}$/);
    const token = new URL(link).searchParams.get('token')!;
    expect((await send('/reset', { token, password: 'second choice of words' })).status).toBe(303);
    expect((await send('/reset', { token, password: 'third choice of words' })).status).toBe(410);
    expect(await signIn('first choice of words')).toBe(422);
    expect(await signIn('second choice of words')).toBe(303);
  });
});
