import type { Clock } from '@hindsight/shared/clock.ts';
import { ApiError } from '@hindsight/shared/errors.ts';
import { addressBlock } from '@hindsight/shared/http/address-block.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/durations.ts';
import type { TallyStore } from '../ports.ts';
import { hashOf } from './secrets.ts';

/** What may be tried how often in a time: per client address, per account or address of mail. */
const LIMITS = {
  'sign-in from': { most: 30, windowMs: 15 * MINUTE_MS },
  'sign-in to': { most: 30, windowMs: HOUR_MS },
  'sign-in from to': { most: 8, windowMs: 15 * MINUTE_MS },
  'sign-up from': { most: 20, windowMs: HOUR_MS },
  'mail wanted from': { most: 30, windowMs: HOUR_MS },
  'mail to': { most: 6, windowMs: HOUR_MS },
  'link from': { most: 60, windowMs: 15 * MINUTE_MS },
  'provider from': { most: 60, windowMs: 15 * MINUTE_MS },
  'wallet from': { most: 60, windowMs: 15 * MINUTE_MS },
  'password of': { most: 10, windowMs: 15 * MINUTE_MS },
  // Each of these is a line in the audit log of projects.
  'key of': { most: 60, windowMs: HOUR_MS },
  'project of': { most: 60, windowMs: HOUR_MS },
} as const;

/** A kind of attempt. */
export type AttemptKind = keyof typeof LIMITS;

/** An attempt of a kind by or at somebody. */
export type Attempt = readonly [kind: AttemptKind, who: string];

/** Counts attempts before they are made, so that none is made beyond the limit however many come at once. */
export class Attempts {
  readonly #tallies: TallyStore;
  readonly #clock: Clock;

  constructor(tallies: TallyStore, clock: Clock) {
    this.#tallies = tallies;
    this.#clock = clock;
  }

  /** Counts one attempt for each. @throws {ApiError} 429 when one of them is beyond its limit */
  async spend(...attempts: readonly Attempt[]): Promise<void> {
    const now = this.#clock.now();
    for (const attempt of attempts) {
      const { key, most, endsAt } = windowOf(attempt, now);
      if ((await this.#tallies.add(key, 1, endsAt)) > most) throw tooManyAttempts(endsAt - now);
    }
  }

  /** Takes back what was counted: it was no guess. */
  async forgive(...attempts: readonly Attempt[]): Promise<void> {
    const now = this.#clock.now();
    for (const attempt of attempts) {
      const { key, endsAt } = windowOf(attempt, now);
      await this.#tallies.add(key, -1, endsAt);
    }
  }
}

/** The client's part of an attempt: an address, as far as it tells one client from another. */
export function from(address: string): string {
  return addressBlock(address);
}

function windowOf([kind, who]: Attempt, now: number): { key: string; most: number; endsAt: number } {
  const { most, windowMs } = LIMITS[kind];
  return { key: hashOf(`${kind} ${who}`), most, endsAt: (Math.floor(now / windowMs) + 1) * windowMs };
}

function tooManyAttempts(leftMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
  return new ApiError(429, 'You have tried this too often.', {
    headers: { 'retry-after': String(seconds) },
  });
}
