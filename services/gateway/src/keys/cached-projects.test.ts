import { beforeEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { CachedProjects } from './cached-projects.ts';
import { freeProjectByKey } from '@hindsight/projects/test/support/free-project.ts';

const LIMITS = {
  known: 50_000,
  freshMs: 60_000,
  unknownFreshMs: 10_000,
  unsubscribedFreshMs: 500,
  staleMs: 900_000,
  pauseMs: 5_000,
};

let now: number;
let asked: string[];
let store: Map<string, FoundByKey>;
/** The store's behaviour; awaited before each answer. */
let answering: () => Promise<void>;
let cache: CachedProjects;

beforeEach(() => {
  now = 1_000_000;
  asked = [];
  store = new Map(['a', 'b', 'c', 'd'].map((key) => [key, project(key)]));
  answering = async () => undefined;
  cache = new CachedProjects({ findByKey: lookUp }, { now: () => now });
  cache.subscribed();
});

async function lookUp(key: string): Promise<FoundByKey | null> {
  asked.push(key);
  const found = store.get(key) ?? null;
  await answering();
  return found;
}

const project = (key: string, more: Partial<FoundByKey> = {}): FoundByKey =>
  freeProjectByKey(`project-${key}`, { name: key, ...more });

const away = async (): Promise<void> => {
  throw new StoreUnavailable('the store', 'of the test');
};

describe('a remembered key', () => {
  it('is looked up once until it expires', async () => {
    for (let i = 0; i < 3; i++) expect(await cache.findByKey('a')).toMatchObject({ id: 'project-a' });
    expect(asked).toEqual(['a']);
    now += LIMITS.freshMs;
    await cache.findByKey('a');
    expect(asked).toEqual(['a', 'a']);
  });

  it('is looked up once for concurrent requests', async () => {
    await Promise.all(Array.from({ length: 50 }, () => cache.findByKey('a')));
    expect(asked).toEqual(['a']);
  });

  it('is dropped when its project changes, and only then', async () => {
    await Promise.all([cache.findByKey('a'), cache.findByKey('b')]);
    store.set('a', project('a', { status: 'suspended' }));
    cache.drop('project-a');
    expect(await cache.findByKey('a')).toMatchObject({ status: 'suspended' });
    await cache.findByKey('b');
    expect(asked).toEqual(['a', 'b', 'a']);
  });

  it('is not remembered in its old state when a change arrives during the lookup', async () => {
    let answer: () => void = () => undefined;
    answering = () => new Promise((resolve) => (answer = resolve));
    const before = cache.findByKey('a');
    store.set('a', project('a', { status: 'suspended' }));
    cache.drop('project-a');
    const first = answer;
    const after = cache.findByKey('a');
    first();
    answer();
    expect(await before).toMatchObject({ status: 'active' });
    expect(await after).toMatchObject({ status: 'suspended' });
    expect(await cache.findByKey('a')).toMatchObject({ status: 'suspended' });
  });

  it('is not remembered in its old state when the lookup ends after that of the change', async () => {
    let answer: () => void = () => undefined;
    answering = () => new Promise((resolve) => (answer = resolve));
    const before = cache.findByKey('a');
    const late = answer;
    store.set('a', project('a', { status: 'suspended' }));
    cache.drop('project-a');
    const after = cache.findByKey('a');
    answer();
    expect(await after).toMatchObject({ status: 'suspended' });
    late();
    expect(await before).toMatchObject({ status: 'active' });
    expect(await cache.findByKey('a')).toMatchObject({ status: 'suspended' });
    expect(asked).toEqual(['a', 'a']);
  });

  it('is looked up once after a change, also when a lookup from before it ends', async () => {
    const answers: (() => void)[] = [];
    answering = () => new Promise((resolve) => answers.push(resolve));
    const before = cache.findByKey('a');
    cache.drop('project-a');
    const after = cache.findByKey('a');
    answers[0]!();
    await before;
    const again = cache.findByKey('a');
    for (const answer of answers) answer();
    await Promise.all([after, again]);
    expect(asked).toEqual(['a', 'a']);
  });

  it('ends at the end of its grace period, to the millisecond', async () => {
    store.set('a', project('a', { keyExpiresAt: now + 500 }));
    now += 499;
    expect(await cache.findByKey('a')).not.toBeNull();
    now += 1;
    expect(await cache.findByKey('a')).toBeNull();
  });

  it('is evicted least recently used first', async () => {
    const others = Array.from({ length: LIMITS.known - 3 }, (_, i) => `other-${i}`);
    for (const key of others) store.set(key, project(key));
    for (const key of ['a', 'b', 'c', ...others]) await cache.findByKey(key);
    asked = [];
    for (const key of ['a', 'd', 'a', 'c', 'b']) await cache.findByKey(key);
    expect(asked).toEqual(['d', 'b']);
  });
});

describe('before the subscription to changes', () => {
  it('a key is trusted for half a second, whether known or not', async () => {
    cache = new CachedProjects({ findByKey: lookUp }, { now: () => now });
    for (const key of ['a', 'x', 'a', 'x']) await cache.findByKey(key);
    expect(asked).toEqual(['a', 'x']);
    now += LIMITS.unsubscribedFreshMs;
    for (const key of ['a', 'x']) await cache.findByKey(key);
    expect(asked).toEqual(['a', 'x', 'a', 'x']);
  });
});

describe('after the clock was set back by an hour', () => {
  it('no entry is trusted for that hour as well', async () => {
    for (const key of ['a', 'x']) await cache.findByKey(key);
    now -= 3_600_000;
    for (const key of ['a', 'x', 'a', 'x']) await cache.findByKey(key);
    expect(asked).toEqual(['a', 'x', 'a', 'x']);
  });

  it('the store is asked at once, also where it has just failed to answer', async () => {
    await cache.findByKey('a');
    now += LIMITS.freshMs;
    answering = away;
    await cache.findByKey('a');
    now -= 3_600_000;
    answering = async () => undefined;
    store.delete('a');
    expect(await cache.findByKey('a')).toBeNull();
  });
});

describe('an unknown key', () => {
  it('is remembered for a shorter time', async () => {
    expect(await cache.findByKey('x')).toBeNull();
    expect(await cache.findByKey('x')).toBeNull();
    expect(asked).toEqual(['x']);
    now += LIMITS.unknownFreshMs;
    await cache.findByKey('x');
    expect(asked).toEqual(['x', 'x']);
  });

  it('is known as soon as the key is created', async () => {
    await cache.findByKey('x');
    store.set('x', project('x'));
    cache.dropUnknown();
    expect(await cache.findByKey('x')).toMatchObject({ id: 'project-x' });
  });

  it('is known as soon as the key is created, also where it was looked up just before', async () => {
    const late = Promise.withResolvers<void>();
    answering = () => late.promise;
    const before = cache.findByKey('x');
    store.set('x', project('x'));
    cache.dropUnknown();
    answering = async () => undefined;
    expect(await cache.findByKey('x')).toMatchObject({ id: 'project-x' });
    late.resolve();
    expect(await before).toBeNull();
    expect(await cache.findByKey('x')).toMatchObject({ id: 'project-x' });
  });

  it('never evicts a known one, however many are tried', async () => {
    await cache.findByKey('a');
    for (let i = 0; i < LIMITS.known; i++) await cache.findByKey(`x${i}`);
    asked = [];
    await cache.findByKey('a');
    expect(asked).toEqual([]);
  });

  it('is forgotten once a known key turns out to be gone', async () => {
    await cache.findByKey('a');
    store.delete('a');
    now += LIMITS.freshMs;
    expect(await cache.findByKey('a')).toBeNull();
    expect(await cache.findByKey('a')).toBeNull();
    expect(asked).toEqual(['a', 'a']);
  });
});

describe('while the store is unavailable', () => {
  it('known keys keep working for a bounded time', async () => {
    await cache.findByKey('a');
    answering = away;
    now += LIMITS.freshMs;
    expect(await cache.findByKey('a')).toMatchObject({ id: 'project-a' });
    now += LIMITS.staleMs;
    await expect(cache.findByKey('a')).rejects.toMatchObject({ statusCode: 503 });
  });

  it('the store is not asked at every request', async () => {
    await cache.findByKey('a');
    answering = away;
    now += LIMITS.freshMs;
    for (let i = 0; i < 10; i++) await cache.findByKey('a');
    expect(asked).toEqual(['a', 'a']);
    now += LIMITS.pauseMs;
    await cache.findByKey('a');
    expect(asked).toEqual(['a', 'a', 'a']);
  });

  it('a request waits only briefly for the store when there is an answer to serve', async () => {
    await cache.findByKey('a');
    answering = () => new Promise(() => undefined);
    now += LIMITS.freshMs;
    const begun = performance.now();
    expect(await cache.findByKey('a')).toMatchObject({ id: 'project-a' });
    // The store never answers.
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  it('a key not in the cache gets a 503 and is treated as neither known nor unknown', async () => {
    answering = away;
    await expect(cache.findByKey('a')).rejects.toMatchObject({
      statusCode: 503,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    answering = async () => undefined;
    expect(await cache.findByKey('a')).not.toBeNull();
  });
});
