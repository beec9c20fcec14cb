/** A cache of projects by key. Entries are dropped when the project changes, the key ends or the entry expires. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { unavailable } from '@hindsight/kernel/errors.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { LRUCache } from 'lru-cache';
import type { KeyCache, ProjectLookup, RememberedProjects } from './ports.ts';
import { RETRY_AFTER_SECONDS } from '../domain/refusals.ts';

/** Bounds of the cache; times in milliseconds. */
export interface CacheLimits {
  /** The most keys of projects to remember. */
  readonly known: number;
  /** The most unknown keys to remember. They are kept apart, so that guessing cannot evict the known ones. */
  readonly unknown: number;
  /** An entry is trusted this long unless a change is reported. */
  readonly freshMs: number;
  readonly unknownFreshMs: number;
  /** The same while there is no subscription to changes. */
  readonly unsubscribedFreshMs: number;
  /** For this long an entry serves while the store is unavailable. */
  readonly staleMs: number;
  /** Time for the store to return something newer than an existing entry. */
  readonly refreshMs: number;
  /** Pause before a store that did not answer is queried again. */
  readonly pauseMs: number;
}

const DEFAULTS: CacheLimits = {
  known: 50_000,
  unknown: 10_000,
  freshMs: 60_000,
  unknownFreshMs: 10_000,
  unsubscribedFreshMs: 500,
  staleMs: 15 * 60_000,
  refreshMs: 250,
  pauseMs: 5_000,
};

interface Entry {
  readonly project: FoundByKey;
  readonly staleAfter: number;
  askAfter: number;
}

/** The cache: a lookup for requests and a listener for changes. */
export type CachedProjects = RememberedProjects & KeyCache;

/**
 * Caches a lookup. Concurrent requests for a missing key query the store once. Throws ApiError 503 when the
 * store is unavailable and nothing is cached.
 */
export function cacheProjects(
  source: ProjectLookup,
  clock: Clock,
  limits: Partial<CacheLimits> = {},
): CachedProjects {
  return new ProjectCache(source, clock, { ...DEFAULTS, ...limits });
}

class ProjectCache implements CachedProjects {
  readonly #source: ProjectLookup;
  readonly #clock: Clock;
  readonly #limits: CacheLimits;
  readonly #known: LRUCache<string, Entry>;
  /** Until when a key is taken for unknown. */
  readonly #unknown: LRUCache<string, number>;
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #asking = new Map<string, Promise<FoundByKey | null>>();
  /**
   * Rises with each reported change: the result of a lookup that began before a change is not cached after
   * it.
   */
  #changes = 0;
  #isSubscribed = false;

  constructor(source: ProjectLookup, clock: Clock, limits: CacheLimits) {
    this.#source = source;
    this.#clock = clock;
    this.#limits = limits;
    this.#known = new LRUCache({
      maxSize: limits.known,
      sizeCalculation: () => 1,
      dispose: ({ project }, key) => this.#unlink(project.id, key),
      noDisposeOnSet: true,
    });
    this.#unknown = new LRUCache({ max: limits.unknown });
  }

  async findByKey(key: string): Promise<FoundByKey | null> {
    const now = this.#clock.now();
    const entry = this.#known.get(key);
    if (entry === undefined) return this.#isUnknown(key, now) ? null : this.#ask(key).catch(refuse);
    if (now < entry.askAfter) return unlessEnded(entry.project, now);
    const project = await this.#refresh(key, entry);
    return project && unlessEnded(project, this.#clock.now());
  }

  remembers(key: string): boolean {
    const entry = this.#known.peek(key);
    return entry !== undefined && unlessEnded(entry.project, this.#clock.now()) !== null;
  }

  subscribed(): void {
    this.#isSubscribed = true;
  }

  drop(projectId: string): void {
    this.#changes++;
    this.#asking.clear();
    for (const key of this.#keysOf.get(projectId) ?? []) {
      const entry = this.#known.peek(key);
      // Another object: a lookup that began before must not prolong it.
      if (entry !== undefined) this.#known.set(key, { ...entry, askAfter: 0, staleAfter: 0 });
    }
  }

  dropUnknown(): void {
    this.#changes++;
    this.#asking.clear();
    this.#unknown.clear();
  }

  #isUnknown(key: string, now: number): boolean {
    return now < (this.#unknown.get(key) ?? 0);
  }

  /** The store's answer, or the cached one if the store does not answer in time. */
  async #refresh(key: string, entry: Entry): Promise<FoundByKey | null> {
    const asked = this.#ask(key);
    if (this.#clock.now() >= entry.staleAfter) return asked.catch(refuse);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<FoundByKey>((resolve) => {
      timer = setTimeout(() => {
        entry.askAfter = this.#clock.now() + this.#limits.pauseMs;
        resolve(entry.project);
      }, this.#limits.refreshMs);
    });
    try {
      return await Promise.race([asked, late]);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      entry.askAfter = this.#clock.now() + this.#limits.pauseMs;
      return entry.project;
    } finally {
      clearTimeout(timer);
      // Once it has lost the race, nothing else handles its failure.
      asked.catch(() => undefined);
    }
  }

  #ask(key: string): Promise<FoundByKey | null> {
    const running = this.#asking.get(key);
    if (running !== undefined) return running;
    const asked = this.#askAndRemember(key).finally(() => {
      if (this.#asking.get(key) === asked) this.#asking.delete(key);
    });
    this.#asking.set(key, asked);
    return asked;
  }

  async #askAndRemember(key: string): Promise<FoundByKey | null> {
    const before = this.#changes;
    const found = await this.#source.findByKey(key);
    if (before === this.#changes) this.#remember(key, found);
    return found;
  }

  #remember(key: string, project: FoundByKey | null): void {
    const now = this.#clock.now();
    const { freshMs, unknownFreshMs, unsubscribedFreshMs, staleMs } = this.#limits;
    if (project === null) {
      this.#known.delete(key);
      this.#unknown.set(key, now + (this.#isSubscribed ? unknownFreshMs : unsubscribedFreshMs));
      return;
    }
    const askAfter = now + (this.#isSubscribed ? freshMs : unsubscribedFreshMs);
    this.#known.set(key, { project, askAfter, staleAfter: now + staleMs });
    const keys = this.#keysOf.get(project.id) ?? new Set();
    this.#keysOf.set(project.id, keys.add(key));
  }

  #unlink(projectId: string, key: string): void {
    const keys = this.#keysOf.get(projectId);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(projectId);
  }
}

/** A rotated key is remembered with its end. */
function unlessEnded(project: FoundByKey, now: number): FoundByKey | null {
  return project.keyExpiresAt !== null && now >= project.keyExpiresAt ? null : project;
}

function refuse(error: unknown): never {
  if (!(error instanceof StoreUnavailable)) throw error;
  throw unavailable('store_unavailable', 'Keys cannot be checked at the moment.', RETRY_AFTER_SECONDS, error);
}
