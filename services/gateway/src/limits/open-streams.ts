/**
 * Long answers. Each ends when its key is refused, its time is over, its client is too slow, or at the stop.
 */
import { ApiError } from '@hindsight/kernel/errors.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { Pace } from './pace.ts';

/** Interval of the search for streams to end. */
export const LOOK_EVERY_MS = 1_000;
/** Interval of checks of a key without a reported change of its project. */
const CHECK_EVERY_MS = 60_000;
/** The same where it could not be checked. */
const RETRY_CHECK_MS = 5_000;

/** Why a stream ends before its answer does. */
export type End = 'stopped' | 'refused' | 'over' | 'slow';

export interface Opening {
  readonly project: FoundByKey;
  /** Finds its project again. Rejects with an ApiError below 500 once its key is refused. */
  readonly identifyAgain: () => Promise<FoundByKey>;
  /** Longest duration in milliseconds; unlimited if absent. */
  readonly lifetimeMs?: number;
  /** Bytes that its client has moved, and true if the stream waits for the client. */
  readonly progress?: () => { readonly moved: number; readonly isWaitedFor: boolean };
  /** Called once, unless it is left before. */
  readonly end: (why: End) => void;
}

interface Open extends Opening {
  readonly pace: Pace | undefined;
  readonly endsAt: number;
  checkAt: number;
}

/** The streams of one kind that are open at this gateway. */
export class OpenStreams {
  readonly #clock: Clock;
  readonly #open = new Set<Open>();
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Watches over a stream. @returns a function that ends the watch */
  enter(opening: Opening): () => void {
    const now = this.#clock.now();
    const { lifetimeMs = Infinity, progress } = opening;
    const open: Open = {
      ...opening,
      pace: progress && new Pace(progress().moved, now),
      endsAt: now + lifetimeMs,
      // Its key may have been refused since it was found.
      checkAt: now,
    };
    this.#open.add(open);
    if (this.#stopped) this.#end(open, 'stopped');
    return () => void this.#open.delete(open);
  }

  /** Ends streams that are due. Resolves once all due keys are checked. */
  async look(): Promise<void> {
    const now = this.#clock.now();
    const checks: Promise<void>[] = [];
    for (const open of this.#open) {
      const { pace, progress } = open;
      const { moved = 0, isWaitedFor = false } = progress?.() ?? {};
      if (now >= open.endsAt) this.#end(open, 'over');
      else if (pace?.note(isWaitedFor, moved, now) === true) this.#end(open, 'slow');
      else if (now >= open.checkAt) checks.push(this.#check(open));
    }
    await Promise.all(checks);
  }

  /** A project has changed: its keys are checked at once. */
  async changed(projectId: string): Promise<void> {
    const concerned = [...this.#open].filter((open) => open.project.id === projectId);
    await Promise.all(concerned.map((open) => this.#check(open)));
  }

  /** Ends all, and those that open later at once. */
  stop(): void {
    this.#stopped = true;
    for (const open of this.#open) this.#end(open, 'stopped');
  }

  async #check(open: Open): Promise<void> {
    const now = this.#clock.now();
    open.checkAt = now + CHECK_EVERY_MS;
    try {
      open.checkAt = nextCheck(now, await open.identifyAgain());
    } catch (error) {
      if (error instanceof ApiError && error.statusCode < 500) this.#end(open, 'refused');
      else open.checkAt = now + RETRY_CHECK_MS;
    }
  }

  #end(open: Open, why: End): void {
    if (this.#open.delete(open)) open.end(why);
  }
}

/** In a minute, or when the key ends: by its rotation or its last day. */
function nextCheck(now: number, { keyExpiresAt, key }: FoundByKey): number {
  return Math.min(now + CHECK_EVERY_MS, keyExpiresAt ?? Infinity, key.expiresAt ?? Infinity);
}
