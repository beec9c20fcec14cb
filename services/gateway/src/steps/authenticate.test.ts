/** Effect of guessing on other clients behind the same address. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { generateKey } from '@hindsight/projects/key.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { CachedProjects } from '../keys/cached-projects.ts';
import { GuessGuard } from '../keys/guess-guard.ts';
import { authenticate } from './authenticate.ts';
import { freeProjectByKey } from '@hindsight/projects/test/support/free-project.ts';

const ADDRESS = '198.51.100.7';
const key = generateKey();
let now: number;
let store: Map<string, FoundByKey>;
let lookedUp: string[];
let projects: CachedProjects;
let guard: GuessGuard;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 21);
  lookedUp = [];
  store = new Map([[key, freeProjectByKey('p')]]);
  const findByKey = async (asked: string): Promise<FoundByKey | null> => {
    lookedUp.push(asked);
    return store.get(asked) ?? null;
  };
  projects = new CachedProjects({ findByKey }, { now: () => now });
  projects.subscribed();
  guard = new GuessGuard({ now: () => now });
});

/** The outcome for a key: 200, or the status of its refusal. */
const ask = (asked: string): Promise<number> =>
  authenticate({ projects, guard }, asked, ADDRESS).then(
    () => 200,
    (error: { statusCode: number }) => error.statusCode,
  );

/** The outcome for a key that arrives while the maximum number of guesses is waiting. */
async function askAmongGuesses(asked: string): Promise<number> {
  const guesses = Array.from({ length: 30 }, () => guard.guessed(ADDRESS));
  // Within the same turn, so that none of them has ended.
  const outcome = ask(asked);
  await Promise.all(guesses);
  return outcome;
}

describe('while keys are guessed from the same address', () => {
  beforeEach(async () => {
    expect(await ask(key)).toBe(200);
    lookedUp = [];
  });

  it('a key that was found before opens its project without a lookup', async () => {
    expect(await askAmongGuesses(key)).toBe(200);
    expect(lookedUp).toEqual([]);
  });

  it('a cached key that has expired is looked up', async () => {
    now += 60_000;
    expect(await askAmongGuesses(key)).toBe(200);
    expect(lookedUp).toEqual([key]);
  });

  it('a key whose project has changed is looked up, and the new state applies', async () => {
    store.set(key, freeProjectByKey('p', { status: 'suspended' }));
    projects.drop('p');
    expect(await askAmongGuesses(key)).toBe(403);
    expect(lookedUp).toEqual([key]);
  });

  it('a revoked key counts as a guess as soon as that is known', async () => {
    store.delete(key);
    projects.drop('p');
    expect(await askAmongGuesses(key)).toBe(401);
    expect(await askAmongGuesses(key)).toBe(429);
    expect(lookedUp).toEqual([key]);
  });

  it('a key whose grace period has ended counts as a guess', async () => {
    store.set(key, freeProjectByKey('p', { keyExpiresAt: now + 1_000 }));
    projects.drop('p');
    expect(await ask(key)).toBe(200);
    now += 1_000;
    expect(await askAmongGuesses(key)).toBe(429);
  });

  it('a key that was never seen gets a 429 and is not looked up', async () => {
    expect(await askAmongGuesses(generateKey())).toBe(429);
    expect(lookedUp).toEqual([]);
  });
});
