/** Invariants when two changes of one account race, each played in the worst order. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openProjects, type OpenProjects } from '@hindsight/projects/open.ts';
import { openAccountStores, type OpenAccountStores } from '../../src/adapters/open-accounts.ts';
import type { Account } from '../../src/domain/account.ts';
import type { Mail } from '../../src/ports.ts';
import { createUserProjects } from '../../src/user-projects.ts';
import { createAccountChanges } from '../../src/accounts/account-changes.ts';
import { createAttempts } from '../../src/accounts/attempts.ts';
import { createCookies } from '../../src/accounts/cookies.ts';
import { createIdentities } from '../../src/accounts/identities.ts';
import { createKnownBrowsers } from '../../src/accounts/known-browsers.ts';
import { createPasswordSignIn } from '../../src/accounts/passwords.ts';
import { createSessionKeeper } from '../../src/accounts/session-keeper.ts';
import { createSignUps } from '../../src/accounts/sign-ups.ts';
import { quickPasswords } from '../support/quick-passwords.ts';

const clock = { now: () => Date.UTC(2026, 10, 21, 12) };
const VISITOR = { address: '127.0.0.1', origin: 'http://127.0.0.1:8090' };
const ada: Account = {
  id: 'ada',
  email: 'old@example.org',
  name: '',
  passwordHash: null,
  identities: [],
  createdAt: 0,
  epoch: 0,
  version: 0,
};

let dataDir: string;
let lifecycle: Lifecycle;
let stores: OpenAccountStores;
let opened: OpenProjects;
let mails: Mail[];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'hindsight-races-'));
  lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  stores = await openAccountStores({ dataDir }, lifecycle);
  opened = await openProjects(
    { dataDir, secret: 'a secret for tests, long enough' },
    { clock, ids: randomIds, lifecycle },
  );
  await stores.accounts.insert(ada);
  mails = [];
});
afterEach(async () => {
  await lifecycle.shutdown('end of test');
  rmSync(dataDir, { recursive: true });
});

const depsWith = (changed: Partial<OpenAccountStores>) => ({
  stores: { ...stores, ...changed },
  passwords: quickPasswords(),
  mailer: { post: (mail: Mail) => void mails.push(mail) },
  attempts: createAttempts(stores.tallies, clock),
  browsers: createKnownBrowsers('a secret for tests, long enough'),
  clock,
  ids: randomIds,
});

it('a reset link sent to the former address while the address changes does not work', async () => {
  const put = stores.tickets.put.bind(stores.tickets);
  const tickets = {
    ...stores.tickets,
    put: async (ticket: Parameters<typeof put>[0]) => {
      await stores.accounts.replace({ ...ada, email: 'new@example.org' });
      await stores.tickets.drop('reset', ada.id);
      await put(ticket);
    },
  };
  const passwords = createPasswordSignIn(depsWith({ tickets }));
  await passwords.forgot('old@example.org', VISITOR);
  const token = /token=([\w-]+)/.exec(mails[0]?.text ?? '')?.[1] ?? '';
  expect(token).not.toBe('');
  expect(await passwords.reset({ token, password: 'a few other words' }, VISITOR.origin)).toBe('invalid');
  expect((await stores.accounts.find(ada.id))?.passwordHash).toBeNull();
});

it('a provider that knows the former address does not open the account whose address changes', async () => {
  const accounts = {
    ...stores.accounts,
    findByLogin: async (login: string) => {
      const found = await stores.accounts.findByLogin(login);
      if (found !== null) await stores.accounts.replace({ ...found, email: 'new@example.org' });
      return found;
    },
  };
  const identities = createIdentities(depsWith({ accounts }));
  const identity = { provider: 'github', subject: '7', label: 'ada' } as const;
  const account = await identities.signIn(
    { identity, name: 'Ada', verifiedEmail: 'old@example.org' },
    VISITOR,
  );
  expect(account).toMatchObject({ email: null, identities: [{ subject: '7' }] });
  expect(await stores.accounts.find(ada.id)).toMatchObject({ email: 'new@example.org', identities: [] });
});

it('a session that opens while the password changes is none', async () => {
  const cookies = createCookies(false);
  const sessions = createSessionKeeper({ stores, cookies, clock, ids: randomIds });
  const passwords = createPasswordSignIn(depsWith({}));
  const visit = { ip: VISITOR.address, headers: {} };
  // The account as it was read before the change.
  const change = { current: '', password: 'a few other words' };
  const changed = await passwords.change(ada, change, VISITOR.origin);
  const before = await sessions.open(ada, visit);
  const after = await sessions.open(changed as Account, visit);
  const current = (cookie: string) => sessions.current({ cookie: cookie.split(';', 1)[0]! });
  expect(await current(before)).toBeNull();
  expect(await current(after)).toMatchObject({ user: { id: ada.id } });
});

it('a project that is created while its account is deleted does not stay active', async () => {
  const userProjects = createUserProjects({ ...opened, clock, ids: randomIds });
  const by = { userId: ada.id, address: VISITOR.address };
  const accounts = {
    ...stores.accounts,
    remove: async (id: string) => {
      await userProjects.create(by, 'Created in another tab');
      await stores.accounts.remove(id);
    },
  };
  await createAccountChanges({
    ...depsWith({ accounts }),
    userProjects,
    offered: { github: true, google: true },
  }).remove(ada, VISITOR.address);
  expect((await userProjects.list(ada.id)).map(({ status }) => status)).toEqual(['suspended']);
});

it('the link of a sign-up works again after the store has failed, and makes one account', async () => {
  let failures = 1;
  const accounts = {
    ...stores.accounts,
    insert: async (account: Account) => {
      if (failures-- > 0) throw new Error('a primary steps down');
      return stores.accounts.insert(account);
    },
  };
  const signUps = createSignUps(depsWith({ accounts }));
  const form = { email: 'new@example.org', password: 'a few other words', next: '/' };
  await signUps.begin(form, { ...VISITOR, browser: 'b' });
  const token = /token=([\w-]+)/.exec(mails[0]?.text ?? '')?.[1] ?? '';
  const confirm = async () => signUps.confirm(token, { password: '', ...VISITOR, browser: 'b' });
  await expect(confirm()).rejects.toThrow('steps down');
  const outcomes = await Promise.all([confirm(), confirm()]);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      'invalid',
      { account: expect.objectContaining({ email: form.email }), next: '/' },
    ]),
  );
  expect(await confirm()).toBe('invalid');
});
