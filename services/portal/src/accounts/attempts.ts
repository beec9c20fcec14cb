import type { Clock } from '@hindsight/kernel/clock.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@hindsight/kernel/durations.ts';
import type { TallyStore } from '../ports.ts';
import { hashOf } from './secrets.ts';

interface Limit {
  readonly max: number;
  readonly windowMs: number;
  /** Why it is refused beyond the limit, for the user. */
  readonly refusal?: string;
}

/** The limits per client address, account or email address. */
const LIMITS = {
  'sign-in from': { max: 30, windowMs: 15 * MINUTE_MS },
  'sign-in to': { max: 30, windowMs: HOUR_MS },
  'sign-in from to': { max: 8, windowMs: 15 * MINUTE_MS },
  'sign-up from': { max: 20, windowMs: HOUR_MS },
  'mail wanted from': { max: 30, windowMs: HOUR_MS },
  'mail to': { max: 6, windowMs: HOUR_MS },
  'provider from': { max: 60, windowMs: 15 * MINUTE_MS },
  'wallet from': { max: 60, windowMs: 15 * MINUTE_MS },
  'password of': { max: 10, windowMs: 15 * MINUTE_MS },
  // Each account and each project has free quota.
  'account from': {
    max: 20,
    windowMs: DAY_MS,
    refusal: 'Too many accounts were created from your network today.',
  },
  'project from': {
    max: 40,
    windowMs: DAY_MS,
    refusal: 'Too many projects were created from your network today.',
  },
  // Each of these adds a line to the audit log of a project.
  'key of': { max: 60, windowMs: HOUR_MS },
  'project of': { max: 60, windowMs: HOUR_MS },
} as const satisfies Record<string, Limit>;

type AttemptKind = keyof typeof LIMITS;

/** An attempt of a kind, by or at `who`; of a client’s address its block counts (`addressBlock`). */
export type Attempt = readonly [kind: AttemptKind, who: string];

export type Attempts = ReturnType<typeof createAttempts>;

/** Counts attempts before they are made, so that concurrent requests cannot exceed a limit. */
export function createAttempts(tallies: TallyStore, clock: Clock) {
  return {
    /** Counts one attempt for each. @throws {ApiError} 429 when one of them is beyond its limit */
    async spend(...attempts: readonly Attempt[]): Promise<void> {
      const now = clock.now();
      for (const attempt of attempts) {
        const { key, endsAt, limit } = windowOf(attempt, now);
        if ((await tallies.add(key, 1, endsAt)) > limit.max) throw tooManyAttempts(limit, endsAt - now);
      }
    },

    /** Uncounts attempts that turned out to be legitimate. */
    async forgive(...attempts: readonly Attempt[]): Promise<void> {
      const now = clock.now();
      for (const attempt of attempts) {
        const { key, endsAt } = windowOf(attempt, now);
        await tallies.add(key, -1, endsAt);
      }
    },
  };
}

function windowOf([kind, who]: Attempt, now: number): { key: string; endsAt: number; limit: Limit } {
  const limit: Limit = LIMITS[kind];
  const endsAt = (Math.floor(now / limit.windowMs) + 1) * limit.windowMs;
  return { key: hashOf(`${kind} ${who}`), endsAt, limit };
}

function tooManyAttempts({ refusal = 'You have tried this too often.' }: Limit, leftMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
  return new ApiError('attempts_exceeded', refusal, {
    headers: { 'retry-after': String(seconds) },
  });
}
