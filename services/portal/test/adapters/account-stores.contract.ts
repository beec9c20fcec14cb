import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { randomUUID } from 'node:crypto';
import { createCookies } from '../../src/accounts/cookies.ts';
import { createSessionKeeper } from '../../src/accounts/session-keeper.ts';
import type { Account, Identity } from '../../src/domain/account.ts';
import type { AccountStores, Session, Ticket } from '../../src/ports.ts';

const account = (fields: Partial<Account> = {}): Account => ({
  id: randomUUID(),
  email: `${randomUUID()}@example.org`,
  name: '',
  passwordHash: null,
  identities: [],
  createdAt: 1,
  epoch: 0,
  version: 0,
  ...fields,
});
const identity = (subject: string = randomUUID()): Identity => ({
  provider: 'github',
  subject,
  label: 'octocat',
  linkedAt: 1,
});
const session = (userId: string, fields: Partial<Session> = {}): Session => ({
  hash: randomUUID(),
  id: randomUUID(),
  userId,
  epoch: 0,
  signedInAt: 5,
  seenAt: 5,
  expiresAt: 100,
  address: '192.0.2.1',
  agent: 'A browser',
  ...fields,
});
const ticket = (fields: Partial<Ticket> = {}): Ticket => ({
  kind: 'reset',
  hash: randomUUID(),
  owner: 'a-user',
  expiresAt: 100,
  data: '{}',
  ...fields,
});

/** The contract of every store of accounts. `open` is called twice: two processes on one store. */
export function describeAccountStores(
  open: () => Promise<{ stores: [AccountStores, AccountStores]; close: () => Promise<void> }>,
): void {
  let one: AccountStores;
  let other: AccountStores;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({
      stores: [one, other],
      close,
    } = await open());
  });
  afterAll(() => close());

  describe('accounts', () => {
    it('are found only by their id, their address and each of their identities', async () => {
      const kept = account({ identities: [identity('42x'), { ...identity('42x'), provider: 'google' }] });
      expect(await one.accounts.insert(kept)).toBe('inserted');
      for (const login of [`id:${kept.id}`, `email:${kept.email ?? ''}`, 'github:42x', 'google:42x'])
        expect(await other.accounts.findByLogin(login)).toEqual(kept);
      expect(await other.accounts.find(kept.id)).toEqual(kept);
      expect(await other.accounts.findByLogin('wallet:42x')).toBeNull();
      expect(await other.accounts.find(randomUUID())).toBeNull();
    });

    it('are listed page by page, each once', async () => {
      const kept = [account(), account(), account()];
      for (const each of kept) await one.accounts.insert(each);
      const listed: Account[] = [];
      for (let page = await other.accounts.list('', 2); page.length > 0;) {
        expect(page.length).toBeLessThanOrEqual(2);
        listed.push(...page);
        page = await other.accounts.list(page.at(-1)!.id, 2);
      }
      expect(listed).toEqual(expect.arrayContaining(kept));
      expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    });

    it('share no address: of eight that claim it concurrently, one gets it', async () => {
      const email = `${randomUUID()}@example.org`;
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? one : other).accounts.insert(account({ email }))),
      );
      expect(outcomes.sort()).toEqual(['inserted', ...Array.from({ length: 7 }, () => 'taken')]);
    });

    it('without address and identities do not conflict', async () => {
      expect(await one.accounts.insert(account({ email: null }))).toBe('inserted');
      expect(await one.accounts.insert(account({ email: null }))).toBe('inserted');
    });

    it('are replaced only in the version that was read, and never with another’s logins', async () => {
      const [mine, others] = [account(), account({ identities: [identity()] })];
      await one.accounts.insert(mine);
      await one.accounts.insert(others);
      const changed = { ...mine, name: 'Ada', identities: [identity()], epoch: 3 };
      expect(await one.accounts.replace(changed)).toBe('replaced');
      expect(await other.accounts.find(mine.id)).toEqual({ ...changed, version: 1 });
      expect(await other.accounts.replace({ ...mine, name: 'Eve' })).toBe('conflict');
      const thief = { ...changed, version: 1, identities: others.identities };
      expect(await other.accounts.replace(thief)).toBe('taken');
      expect(await other.accounts.replace({ ...thief, identities: [], email: others.email })).toBe('taken');
      expect(await other.accounts.replace(account())).toBe('conflict');
    });

    it('remember removed logins, which other accounts may take', async () => {
      const kept = account({ removed: ['github:removed'] });
      await one.accounts.insert(kept);
      expect(await other.accounts.find(kept.id)).toEqual(kept);
      expect(await one.accounts.findByLogin('github:removed')).toBeNull();
      const next = account({ identities: [identity('removed')] });
      expect(await one.accounts.insert(next)).toBe('inserted');
      expect(await one.accounts.replace({ ...kept, removed: [] })).toBe('replaced');
      expect(await other.accounts.find(kept.id)).toEqual({ ...kept, removed: [], version: 1 });
    });

    it('free their logins when they are deleted or changed', async () => {
      const leaving = account({ identities: [identity()] });
      await one.accounts.insert(leaving);
      const moved = { ...leaving, email: `${randomUUID()}@example.org` };
      expect(await one.accounts.replace(moved)).toBe('replaced');
      expect(await one.accounts.insert(account({ email: leaving.email }))).toBe('inserted');
      await other.accounts.remove(leaving.id);
      expect(await one.accounts.find(leaving.id)).toBeNull();
      expect(await one.accounts.insert(account({ identities: leaving.identities }))).toBe('inserted');
    });
  });

  describe('sessions', () => {
    it('are found by their hash, listed latest first, and ended singly or together', async () => {
      const user = randomUUID();
      const mine = [1, 2, 3].map((signedInAt) => session(user, { signedInAt }));
      const others = session(randomUUID());
      for (const each of [...mine, others]) await one.sessions.insert(each);
      expect(await other.sessions.find(mine[0]!.hash)).toEqual(mine[0]);
      expect(await other.sessions.list(user, 2)).toEqual([mine[2], mine[1]]);
      await one.sessions.seen(mine[0]!.hash, 50);
      expect(await other.sessions.find(mine[0]!.hash)).toEqual({ ...mine[0], seenAt: 50 });
      await one.sessions.removeOne(user, others.id);
      expect(await other.sessions.find(others.hash)).toEqual(others);
      await one.sessions.removeOne(user, mine[1]!.id);
      await one.sessions.remove(mine[2]!.hash);
      expect((await other.sessions.list(user, 10)).map(({ id }) => id)).toEqual([mine[0]!.id]);
      await one.sessions.insert(mine[1]!);
      await one.sessions.keepLatest(user, 1);
      expect(await other.sessions.list(user, 10)).toEqual([mine[1]]);
      await one.sessions.removeAll(user);
      expect(await other.sessions.list(user, 10)).toEqual([]);
      expect(await other.sessions.find(others.hash)).toEqual(others);
    });
  });

  it('are limited to a hundred per account: one more ends the account’s oldest', async () => {
    const [mine, others] = [account(), account()];
    for (const each of [mine, others]) await one.accounts.insert(each);
    const clock = { time: 0, now: () => clock.time };
    const keeper = createSessionKeeper({ stores: one, cookies: createCookies(false), clock, ids: randomIds });
    const open = async (who: Account): Promise<{ cookie: string }> => {
      const [cookie = ''] = (await keeper.open(who, { ip: '192.0.2.1', headers: {} })).split(';');
      return { cookie };
    };
    const stranger = await open(others);
    const opened = [];
    for (let i = 0; i < 103; i++) {
      // Two in each millisecond: even then the new one stays.
      clock.time += i % 2;
      opened.push(await open(mine));
      expect(await keeper.current(opened[i]!)).not.toBeNull();
    }
    const living = await Promise.all(opened.map((headers) => keeper.current(headers)));
    expect(living.map((each) => each !== null)).toEqual(opened.map((_, i) => i >= 3));
    expect(await keeper.list(mine)).toHaveLength(100);
    expect(await keeper.current(stranger)).not.toBeNull();
  });

  describe('tickets', () => {
    it('work once: of eight concurrent callers, one gets it', async () => {
      const kept = ticket();
      await one.tickets.put(kept);
      expect(await other.tickets.look('reset', kept.hash, 99)).toEqual(kept);
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? one : other).tickets.take('reset', kept.hash, 99)),
      );
      expect(taken.filter((each) => each !== null)).toEqual([kept]);
      expect(await one.tickets.look('reset', kept.hash, 0)).toBeNull();
    });

    it('work neither after they expire nor for another purpose', async () => {
      const kept = ticket();
      await one.tickets.put(kept);
      for (const way of ['take', 'look'] as const) {
        expect(await one.tickets[way]('reset', kept.hash, 100)).toBeNull();
        expect(await one.tickets[way]('oauth', kept.hash, 50)).toBeNull();
      }
      expect(await one.tickets.take('reset', kept.hash, 50)).toEqual(kept);
    });

    it('are found by their owner, the longest-lived first', async () => {
      const owner = randomUUID();
      const [early, late] = [ticket({ owner, expiresAt: 100 }), ticket({ owner, expiresAt: 200 })];
      for (const each of [late, early]) await one.tickets.put(each);
      expect(await other.tickets.latest('reset', owner, 150)).toEqual(late);
      expect(await other.tickets.latest('reset', owner, 200)).toBeNull();
      expect(await other.tickets.latest('oauth', owner, 0)).toBeNull();
      expect(await other.tickets.waiting('reset', owner, 50)).toEqual([late, early]);
      expect(await other.tickets.waiting('reset', owner, 150)).toEqual([late]);
      expect(await other.tickets.waiting('oauth', owner, 0)).toEqual([]);
    });

    it('are dropped by their owner and kind', async () => {
      const owner = randomUUID();
      const [gone, stays] = [ticket({ owner }), ticket({ owner, kind: 'oauth' })];
      for (const each of [gone, stays]) await one.tickets.put(each);
      await other.tickets.drop('reset', owner);
      expect(await one.tickets.look('reset', gone.hash, 0)).toBeNull();
      expect(await one.tickets.look('oauth', stays.hash, 0)).toEqual(stays);
    });
  });

  it('tallies count every attempt of every process, and never report fewer than came before', async () => {
    const key = randomUUID();
    const counts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).tallies.add(key, 1, 1_000)),
    );
    // The count may already hold a later one, never miss an earlier one.
    const short = counts.sort((a, b) => a - b).filter((count, i) => count < i + 1);
    expect(short).toEqual([]);
    expect(await one.tallies.add(key, -5, 1_000)).toBe(15);
    expect(await one.tallies.add(key, 1, 2_000)).toBe(1);
  });

  it('a claim has one owner, of however many callers, until it is released', async () => {
    const key = randomUUID();
    const claim = () => Promise.all([one, other, one, other].map(({ claims }) => claims.claim(key, 1_000)));
    expect((await claim()).filter(Boolean)).toHaveLength(1);
    expect((await claim()).filter(Boolean)).toHaveLength(0);
    await other.claims.release(key);
    expect((await claim()).filter(Boolean)).toHaveLength(1);
    expect(await one.claims.claim(`${key}2`, 1_000)).toBe(true);
  });

  it('only expired entries are removed', async () => {
    const user = randomUUID();
    const [old, young] = [session(user, { expiresAt: 10 }), session(user, { expiresAt: 11 })];
    const [stale, fresh] = [ticket({ expiresAt: 10 }), ticket({ expiresAt: 11 })];
    for (const each of [old, young]) await one.sessions.insert(each);
    for (const each of [stale, fresh]) await one.tickets.put(each);
    await one.tallies.add(user, 7, 10);
    await one.tallies.add(user, 7, 11);
    expect([await one.claims.claim(`${user}a`, 10), await one.claims.claim(`${user}b`, 11)]).toEqual([
      true,
      true,
    ]);
    await other.removeExpired(10);
    expect(await one.sessions.list(user, 9)).toEqual([young]);
    expect(await one.tickets.look('reset', stale.hash, 0)).toBeNull();
    expect(await one.tickets.look('reset', fresh.hash, 0)).toEqual(fresh);
    expect(await one.tallies.add(user, 1, 10)).toBe(1);
    expect(await one.tallies.add(user, 1, 11)).toBe(8);
    expect([await one.claims.claim(`${user}a`, 99), await one.claims.claim(`${user}b`, 99)]).toEqual([
      true,
      false,
    ]);
  });

  it('ends all sessions and single-use secrets at once', async () => {
    const [user, other] = [randomUUID(), randomUUID()];
    for (const each of [user, other]) await one.sessions.insert(session(each, { expiresAt: 99 }));
    const reset = ticket({ expiresAt: 99 });
    await one.tickets.put(reset);
    await one.signOutAll();
    expect(await one.sessions.list(user, 9)).toEqual([]);
    expect(await one.sessions.list(other, 9)).toEqual([]);
    expect(await one.tickets.look('reset', reset.hash, 0)).toBeNull();
  });
}
