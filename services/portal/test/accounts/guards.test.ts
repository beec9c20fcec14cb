/** Attempts that are counted and forgiven, and what an account's owner is told or shown: over the embedded store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openAccountStores, type OpenAccountStores } from '../../src/adapters/open-accounts.ts';
import { loginOf, type Account } from '../../src/domain/account.ts';
import type { Mail } from '../../src/ports.ts';
import { createAccountChanges } from '../../src/accounts/account-changes.ts';
import { createAttempts, type Attempt } from '../../src/accounts/attempts.ts';
import { createCookies } from '../../src/accounts/cookies.ts';
import { createIdentities } from '../../src/accounts/identities.ts';
import { createKnownBrowsers } from '../../src/accounts/known-browsers.ts';
import { createPasswordSignIn } from '../../src/accounts/passwords.ts';
import { createProviderSignIn } from '../../src/accounts/provider-sign-in.ts';
import { createSessionKeeper } from '../../src/accounts/session-keeper.ts';
import { createSignUps } from '../../src/accounts/sign-ups.ts';
import { createWalletSignIn } from '../../src/accounts/wallet-sign-in.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const VISITOR = { address: '127.0.0.1', origin: 'http://127.0.0.1:8090', browser: 'the secret of a browser' };
const GITHUB = { provider: 'github', subject: '7', label: 'ada' } as const;
const OTHER = 'a passphrase of some length';
const ada: Account = {
  ...{ id: 'ada', email: 'ada@example.org', name: '', passwordHash: 'hash of it', createdAt: 0 },
  ...{ identities: [{ ...GITHUB, linkedAt: 0 }], epoch: 1, version: 0 },
};

let dataDir: string;
let lifecycle: Lifecycle;
let stores: OpenAccountStores;
let mails: Mail[];
let spent: Attempt[];
let forgiven: Attempt[];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'hindsight-guards-'));
  lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  stores = await openAccountStores({ dataDir }, lifecycle);
  await stores.accounts.insert(ada);
  [mails, spent, forgiven] = [[], [], []];
});
afterEach(async () => {
  await lifecycle.shutdown('end of test');
  rmSync(dataDir, { recursive: true });
});

const deps = () => ({
  stores,
  passwords: {
    hash: async (password: string) => `hash of ${password}`,
    matches: async (password: string, hash: string | null) => hash === `hash of ${password}`,
  },
  mailer: { post: (mail: Mail) => void mails.push(mail) },
  attempts: {
    spend: async (...all: readonly Attempt[]) => void spent.push(...all),
    forgive: async (...all: readonly Attempt[]) => void forgiven.push(...all),
  },
  browsers: createKnownBrowsers('a secret for tests, long enough'),
  userProjects: { suspendAll: async () => undefined },
  offered: { github: true, google: true },
  clock: { now: () => NOW },
  ids: randomIds,
});

const signUp = async (email: string): Promise<string> => {
  const form = { email, password: OTHER, next: '/' };
  expect(await createSignUps(deps()).begin(form, VISITOR)).toBeUndefined();
  return /token=([\w-]+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
};

it('who asks for a reset is counted before the address is read', async () => {
  expect(await createPasswordSignIn(deps()).forgot('no address', VISITOR)).toEqual({
    email: 'Enter a valid email address.',
  });
  expect(spent).toEqual([['mail wanted from', '127.0.0.1']]);
});

it('the present address is no new one', async () => {
  const fault = await createAccountChanges(deps()).askForEmail(ada, 'ADA@example.org', VISITOR.origin);
  expect([fault, spent, mails]).toEqual(['This is already your address.', [], []]);
});

const tokenOf = (mail: Mail | undefined): string => /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';

it('a new address is confirmed once, by its last link, which ends the links in the former mailbox', async () => {
  const changes = createAccountChanges(deps());
  const passwords = createPasswordSignIn(deps());
  await passwords.forgot('ada@example.org', VISITOR);
  for (const text of ['first@example.org', 'second@example.org'])
    await changes.askForEmail(ada, text, VISITOR.origin);
  const [reset, first, second] = mails.map(tokenOf) as [string, string, string];
  expect(await changes.lookAtEmail(first)).toBeNull();
  expect(await passwords.canReset(reset)).toBe(true);
  expect(await changes.confirmEmail(ada, second)).toBe('done');
  expect(await changes.confirmEmail(ada, second)).toBe('invalid');
  expect(await passwords.canReset(reset)).toBe(false);
});

it('a new password ends the pending links of its account', async () => {
  const changes = createAccountChanges(deps());
  const passwords = createPasswordSignIn(deps());
  await passwords.forgot('ada@example.org', VISITOR);
  await changes.askForEmail(ada, 'new@example.org', VISITOR.origin);
  const [reset, change] = mails.map(tokenOf) as [string, string];
  await passwords.change(ada, { current: 'it', password: OTHER }, VISITOR.origin);
  expect([await passwords.canReset(reset), await changes.lookAtEmail(change)]).toEqual([false, null]);
});

it('a password is read up to the longest that there can be', async () => {
  const lengths: number[] = [];
  const matches = async (password: string) => {
    lengths.push(password.length);
    return false;
  };
  const passwords = createPasswordSignIn({ ...deps(), passwords: { ...deps().passwords, matches } });
  const endless = 'x'.repeat(100_000);
  await passwords.signIn({ email: 'ada@example.org', password: endless }, { ...VISITOR, known: undefined });
  await passwords.change(ada, { current: endless, password: OTHER }, VISITOR.origin);
  expect(lengths).toEqual([257, 257]);
});

it('a sign-in that is unlinked ends the sessions of its account, as does its end', async () => {
  const sessions = createSessionKeeper({ ...deps(), cookies: createCookies(false) });
  const open = (account: Account) => sessions.open(account, { ip: '127.0.0.1', headers: {} });
  const changes = createAccountChanges(deps());
  await open(ada);
  const changed = await changes.unlink(ada, 'github:7', VISITOR.origin);
  expect(changed).toMatchObject({ epoch: 2, identities: [] });
  expect(await stores.sessions.list('ada', 10)).toEqual([]);
  await open(changed as Account);
  await changes.remove(changed as Account, VISITOR.address);
  expect(await stores.sessions.list('ada', 10)).toEqual([]);
});

it('a session of an earlier sign-in ends as long after that', async () => {
  const sessions = createSessionKeeper({ ...deps(), cookies: createCookies(false) });
  const open = (at?: number) => sessions.open(ada, { ip: '127.0.0.1', headers: {} }, at);
  await open(NOW - 29 * DAY_MS);
  await open(NOW - 30 * DAY_MS);
  const [own, ...others] = await sessions.list(ada);
  expect([own?.expiresAt, others]).toEqual([NOW + DAY_MS, []]);
});

it('an identity of a provider that is turned off is no other way to sign in', async () => {
  const wallet = { provider: 'wallet', subject: '0x12', label: '0x12', linkedAt: 0 } as const;
  await stores.accounts.replace({ ...ada, passwordHash: null, identities: [...ada.identities, wallet] });
  const unlinkWallet = (github: boolean) =>
    createAccountChanges({ ...deps(), offered: { github, google: true } }).unlink(
      ada,
      loginOf(wallet),
      VISITOR.origin,
    );
  expect(await unlinkWallet(false)).toBe('last');
  expect(await unlinkWallet(true)).toMatchObject({ identities: [GITHUB] });
});

it('who was signed out everywhere meanwhile changes nothing of the account', async () => {
  const changes = createAccountChanges(deps());
  await changes.signOutEverywhere('ada');
  await changes.askForEmail(ada, 'new@example.org', VISITOR.origin);
  const vouched = { identity: { ...GITHUB, subject: '8' }, name: '', verifiedEmail: null };
  const password = { current: 'it', password: OTHER };
  expect([
    await changes.confirmEmail(ada, tokenOf(mails[0])),
    await changes.unlink(ada, 'github:7', VISITOR.origin),
    await createPasswordSignIn(deps()).change(ada, password, VISITOR.origin),
    await createIdentities(deps()).link(ada, vouched, VISITOR.origin),
  ]).toEqual(['invalid', 'unknown', expect.objectContaining({ field: 'password' }), 'gone']);
  expect(await stores.accounts.find('ada')).toEqual({ ...ada, epoch: 2, version: 1 });
});

it('nothing is linked to an account whose session ends while a provider or a wallet’s contract answers', async () => {
  let user: Account | null = ada;
  const endAnd = async <T>(answer: T): Promise<T> => {
    user = null;
    return answer;
  };
  const sender = { ...VISITOR, signedIn: async () => user };
  const identities = createIdentities(deps());
  const github = {
    begin: async ({ state }: { state: string }) => `https://github.example/?state=${state}`,
    finish: () => endAnd({ subject: '8', label: 'mallory', name: '', verifiedEmail: null }),
  };
  const journeys = createProviderSignIn({ ...deps(), providers: { github }, identities });
  const there = await journeys.begin('github', { next: '/account', linkTo: 'ada', confirms: null }, VISITOR);
  expect(await journeys.finish('github', new URL(there!).search.slice(1), sender)).toEqual({
    kind: 'switched',
  });
  user = ada;
  const signatures = { check: () => endAnd('right' as const) };
  const wallets = createWalletSignIn({ ...deps(), identities, signatures, chainId: 1 });
  const message = (await wallets.message(`0x${'12'.repeat(20)}`, VISITOR))!;
  expect(await wallets.link('ada', { message, signature: '0x12' }, sender)).toBe('gone');
  expect(await stores.accounts.find('ada')).toEqual(ada);
});

it('a mail about a change says what ends a stranger’s way in', async () => {
  const vouched = { identity: { ...GITHUB, subject: '8' }, name: '', verifiedEmail: null };
  await createIdentities(deps()).link(ada, vouched, VISITOR.origin);
  // A new password leaves linked sign-ins as they are.
  expect(mails.pop()?.text).toMatch(/\/forgot\n.*remove each way to sign in.*\/account\n/s);
  const changes = createAccountChanges(deps());
  await changes.askForEmail(ada, 'new@example.org', VISITOR.origin);
  await changes.confirmEmail(ada, tokenOf(mails[0]));
  // The former address resets nothing.
  expect(mails[1]).toMatchObject({ to: 'ada@example.org', text: expect.stringContaining('your operator') });
  expect(mails[1]?.text).not.toContain('/forgot');
});

it('a forgiven attempt makes room for one more', async () => {
  const attempts = createAttempts(stores.tallies, { now: () => NOW });
  const spend = () => attempts.spend(['mail to', 'ada@example.org']);
  for (let n = 0; n < 6; n++) await spend();
  await attempts.forgive(['mail to', 'ada@example.org']);
  await spend();
  await expect(spend()).rejects.toMatchObject({ code: 'attempts_exceeded' });
});

it('who wants the mail of a sign-up again is counted, and so is the mail', async () => {
  await createSignUps(deps()).again('new@example.org', VISITOR);
  expect(spent).toEqual([
    ['mail wanted from', '127.0.0.1'],
    ['mail to', 'new@example.org'],
  ]);
});

it('who begins a journey to a provider is counted, and who returns from one', async () => {
  const github = { begin: async () => 'https://github.example/', finish: () => Promise.reject(new Error()) };
  const journeys = createProviderSignIn({
    ...{ ...deps(), providers: { github }, identities: createIdentities(deps()) },
  });
  const attempt = ['provider from', '127.0.0.1'];
  await journeys.begin('github', { next: '/', linkTo: null, confirms: null }, VISITOR);
  expect(spent).toEqual([attempt]);
  const returned = await journeys.finish('github', 'state=forged', {
    ...VISITOR,
    signedIn: async () => null,
  });
  expect([returned, spent]).toEqual([{ kind: 'unknown' }, [attempt, attempt]]);
});

it('a new address is counted, as the mails to it and as those of the account', async () => {
  await createAccountChanges(deps()).askForEmail(ada, 'new@example.org', VISITOR.origin);
  expect(spent).toEqual([
    ['mail to', 'new@example.org'],
    ['mail wanted from', 'ada'],
  ]);
});

it('a guess of the present password is counted, and forgiven where it was right', async () => {
  const passwords = createPasswordSignIn(deps());
  const guess = ['password of', 'ada'];
  expect(await passwords.change(ada, { current: 'wrong', password: OTHER }, VISITOR.origin)).toMatchObject({
    field: 'current',
  });
  expect([spent, forgiven]).toEqual([[guess], []]);
  await passwords.change(ada, { current: 'it', password: OTHER }, VISITOR.origin);
  expect([spent, forgiven]).toEqual([[guess, guess], [guess]]);
});

it('a guess of the password of a sign-up is counted', async () => {
  const token = await signUp('new@example.org');
  spent = [];
  const reader = { password: 'wrong', browser: undefined, address: VISITOR.address };
  expect(await createSignUps(deps()).confirm(token, reader)).toBe('password-wrong');
  expect(spent).toEqual([['password of', expect.any(String)]]);
});

it('an account that another request created first is not counted', async () => {
  const accounts = { ...stores.accounts, insert: async () => 'taken' as const };
  const identities = createIdentities({ ...deps(), stores: { ...stores, accounts } });
  const vouched = { identity: { ...GITHUB, subject: '8' }, name: '', verifiedEmail: null };
  await expect(identities.signIn(vouched, VISITOR)).rejects.toThrow('gave up after 3 conflicts');
  expect(forgiven).toEqual(spent);
});

it('an identity that is linked already is no news', async () => {
  const vouched = { identity: GITHUB, name: '', verifiedEmail: null };
  expect(await createIdentities(deps()).link(ada, vouched, VISITOR.origin)).toBe('linked');
  expect(mails).toEqual([]);
});

it('a sign-up whose address has an account by now confirms nothing, and the other links to it end', async () => {
  const tokens = [await signUp('new@example.org'), await signUp('new@example.org')];
  const signUps = createSignUps(deps());
  const reader = { password: OTHER, browser: VISITOR.browser, address: VISITOR.address };
  expect(await signUps.confirm(tokens[0]!, reader)).toMatchObject({ next: '/' });
  expect(await signUps.look(tokens[1]!, VISITOR.browser)).toBeNull();
  const late = await signUp('late@example.org');
  await stores.accounts.insert({ ...ada, id: 'late', email: 'late@example.org', identities: [] });
  expect(await signUps.confirm(late, reader)).toBe('invalid');
});

it('a session is listed while its sign-in counts, with the beginning of its browser’s name', async () => {
  const sessions = createSessionKeeper({ ...deps(), cookies: createCookies(false) });
  const request = { ip: '127.0.0.1', headers: { 'user-agent': 'x'.repeat(400) } };
  await sessions.open({ ...ada, epoch: 0 }, request);
  await sessions.open(ada, request);
  const listed = await sessions.list(ada);
  expect(listed.map(({ epoch, agent }) => [epoch, agent.length])).toEqual([[1, 300]]);
});

it('a new password, and the wish to sign out everywhere, end what was opened before', async () => {
  const sessions = createSessionKeeper({ ...deps(), cookies: createCookies(false) });
  await sessions.open(ada, { ip: '127.0.0.1', headers: {} });
  await createPasswordSignIn(deps()).change(ada, { current: 'it', password: OTHER }, VISITOR.origin);
  expect(await stores.sessions.list('ada', 10)).toEqual([]);
  await createAccountChanges(deps()).signOutEverywhere('ada');
  expect((await stores.accounts.find('ada'))?.epoch).toBe(3);
});

it('a new session leaves the latest 99 of its account', async () => {
  const kept: unknown[] = [];
  const keepLatest = async (...given: unknown[]): Promise<void> => void kept.push(given);
  const sessions = { ...stores.sessions, keepLatest };
  const keeper = createSessionKeeper({
    ...deps(),
    cookies: createCookies(false),
    stores: { ...stores, sessions },
  });
  await keeper.open(ada, { ip: '127.0.0.1', headers: {} });
  expect(kept).toEqual([['ada', 99]]);
});

it('a signature that is none leaves the message as it was, which then works once', async () => {
  const wallets = createWalletSignIn({
    ...deps(),
    identities: createIdentities(deps()),
    signatures: { check: async () => 'right' },
    chainId: 1,
  });
  const message = (await wallets.message(`0x${'12'.repeat(20)}`, VISITOR))!;
  spent = [];
  const signIn = (signature: string) =>
    wallets.signIn({ message, signature }, { ...VISITOR, confirms: null });
  for (const none of ['', '12', '0x1', '0xzz', `0x${'12'.repeat(5_000)}`])
    expect(await signIn(none)).toEqual({ refused: 'This is not a valid sign-in message.' });
  expect(spent).toEqual(Array(5).fill(['wallet from', '127.0.0.1']));
  // Another wallet has signed this one's words.
  const other = message.replace(/0x\w{40}/, `0x${'34'.repeat(20)}`);
  const forged = (await wallets.signIn(
    { message: other, signature: '0x12' },
    { ...VISITOR, confirms: null },
  )) as object;
  expect(forged).toEqual({ refused: expect.stringContaining('wasn’t created here') });
  const again = (await wallets.message(`0x${'12'.repeat(20)}`, VISITOR))!;
  const signAgain = (signature: string) =>
    wallets.signIn({ message: again, signature }, { ...VISITOR, confirms: null });
  expect(await signAgain('0x12')).toMatchObject({ identities: [{ provider: 'wallet' }] });
  expect(await signAgain('0x12')).toMatchObject({ refused: expect.stringContaining('already used') });
});
