/** A cache of projects by key. Entries are dropped when the project changes, the key ends or the entry expires. */
import { isRecent, type Clock } from '@hindsight/kernel/clock.ts';
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { unavailable } from '@hindsight/kernel/errors.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { FoundByKey, ProjectRepository } from '@hindsight/projects/ports.ts';
import { LRUCache } from 'lru-cache';

/** The most keys of projects to remember. */
const MAX_KNOWN = 50_000;
/** The most unknown keys to remember. They are kept apart, so that guessing cannot evict the known ones. */
const MAX_UNKNOWN = 10_000;
/** An entry is trusted this long unless a change is reported. */
const FRESH_MS = 60_000;
const UNKNOWN_FRESH_MS = 10_000;
/** The same while there is no subscription to changes. */
const UNSUBSCRIBED_FRESH_MS = 500;
/** For this long an entry serves while the store is unavailable. */
const STALE_MS = 15 * 60_000;
/** Time for the store to return something newer than an existing entry. */
const REFRESH_MS = 250;
/** Pause before a store that did not answer is queried again. */
const PAUSE_MS = 5_000;

/** A period by its beginning and length, not by its end: a clock that is set back does not prolong it. */
interface Period {
  readonly from: number;
  readonly ms: number;
}
/** Over at any moment. */
const OVER: Period = { from: -Infinity, ms: 0 };

interface Entry {
  readonly project: FoundByKey;
  /** It is used while the store is unavailable. */
  readonly served: Period;
  /** It is used without asking the store. */
  trusted: Period;
}

type ProjectLookup = Pick<ProjectRepository, 'findByKey'>;

/** A lookup for requests, and a listener for changes. Concurrent requests for a missing key query the store once. */
export class CachedProjects implements ProjectLookup {
  readonly #source: ProjectLookup;
  readonly #clock: Clock;
  readonly #known: LRUCache<string, Entry>;
  /** For how long a key is known not to exist. */
  readonly #unknown = new LRUCache<string, Period>({ max: MAX_UNKNOWN });
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #asking = new Map<string, Promise<FoundByKey | null>>();
  /**
   * Rises with each reported change: the result of a lookup that began before a change is not cached after
   * it.
   */
  #changes = 0;
  #isSubscribed = false;

  constructor(source: ProjectLookup, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#known = new LRUCache({
      maxSize: MAX_KNOWN,
      sizeCalculation: () => 1,
      dispose: ({ project }, key) => this.#unlink(project.id, key),
      noDisposeOnSet: true,
    });
  }

  /** @throws {ApiError} 503 when the store is unavailable and nothing is cached */
  async findByKey(key: string): Promise<FoundByKey | null> {
    const now = this.#clock.now();
    const entry = this.#known.get(key);
    if (entry === undefined) return this.#isUnknown(key, now) ? null : this.#ask(key).catch(refuse);
    if (isIn(entry.trusted, now)) return unlessEnded(entry.project, now);
    const project = await this.#refresh(key, entry);
    return project && unlessEnded(project, this.#clock.now());
  }

  /**
   * True if the key was found before and is not known to be revoked: it is no guess. Never queries the store.
   */
  remembers(key: string): boolean {
    const entry = this.#known.peek(key);
    return entry !== undefined && unlessEnded(entry.project, this.#clock.now()) !== null;
  }

  /** From now on it is notified of every change. */
  subscribed(): void {
    this.#isSubscribed = true;
  }

  /** Drops everything cached of a project except the fact that its keys are keys. */
  drop(projectId: string): void {
    this.#changes++;
    this.#asking.clear();
    for (const key of this.#keysOf.get(projectId) ?? []) {
      const entry = this.#known.peek(key);
      // Another object: a lookup that began before must not prolong it.
      if (entry !== undefined) this.#known.set(key, { ...entry, served: OVER, trusted: OVER });
    }
  }

  /** Forgets which keys were unknown. */
  dropUnknown(): void {
    this.#changes++;
    this.#asking.clear();
    this.#unknown.clear();
  }

  #isUnknown(key: string, now: number): boolean {
    return isIn(this.#unknown.get(key) ?? OVER, now);
  }

  /** The store's answer, or the cached one if the store does not answer in time. */
  async #refresh(key: string, entry: Entry): Promise<FoundByKey | null> {
    const asked = this.#ask(key);
    if (!isIn(entry.served, this.#clock.now())) return asked.catch(refuse);
    try {
      return await withDeadline(asked, REFRESH_MS, () => new StoreUnavailable('the store', 'it is late'));
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      entry.trusted = { from: this.#clock.now(), ms: PAUSE_MS };
      return entry.project;
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
    const from = this.#clock.now();
    const freshFor = (ms: number): Period => ({ from, ms: this.#isSubscribed ? ms : UNSUBSCRIBED_FRESH_MS });
    if (project === null) {
      this.#known.delete(key);
      this.#unknown.set(key, freshFor(UNKNOWN_FRESH_MS));
      return;
    }
    this.#known.set(key, { project, served: { from, ms: STALE_MS }, trusted: freshFor(FRESH_MS) });
    const keys = this.#keysOf.get(project.id) ?? new Set();
    this.#keysOf.set(project.id, keys.add(key));
  }

  #unlink(projectId: string, key: string): void {
    const keys = this.#keysOf.get(projectId);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(projectId);
  }
}

const isIn = ({ from, ms }: Period, now: number): boolean => isRecent(from, ms, now);

/** A rotated key is remembered with its end. */
function unlessEnded(project: FoundByKey, now: number): FoundByKey | null {
  return project.keyExpiresAt !== null && now >= project.keyExpiresAt ? null : project;
}

function refuse(error: unknown): never {
  if (!(error instanceof StoreUnavailable)) throw error;
  throw unavailable('store_unavailable', 'Keys cannot be checked at the moment.', { cause: error });
}
