/** RateLimit-Policy and RateLimit by the IETF draft (draft-ietf-httpapi-ratelimit-headers), for both limits. */
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { limitsOf, PLANS } from '@hindsight/projects/project.ts';
import { periodOf, type Period } from '@hindsight/usage/calendar.ts';
import { keyAccount } from '@hindsight/usage/key-account.ts';
import type { CappedKey } from './quota/leased-quota.ts';
import type { Admission } from './quota/project-quota.ts';

/** The lasting part of the limits of a project and a key during a month. */
interface Terms {
  /** As people know it: `Free`. */
  readonly plan: string;
  /** Requests a second. */
  readonly rate: number;
  readonly monthlyLimit: number;
  /** Unix milliseconds. */
  readonly month: Period;
  /** `RateLimit-Policy`; times in seconds. */
  readonly policy: string;
  readonly key: (CappedKey & { readonly policy: string }) | undefined;
}

/** Keyed by the cached project object: a changed project is another object. */
const known = new WeakMap<FoundByKey, Terms>();

function termsOf(project: FoundByKey, now: number): Terms {
  const before = known.get(project);
  if (before !== undefined && now >= before.month.start && now < before.month.end) return before;
  const { rate, monthlyLimit } = limitsOf(project);
  const month = periodOf(now);
  const window = Math.round((month.end - month.start) / 1000);
  const policyOf = (limit: number): string => `"burst";q=${rate};w=1, "month";q=${limit};w=${window}`;
  const { monthlyCap: cap, id: keyId } = project.key;
  const key =
    cap === null ? undefined : { cap, account: keyAccount(project.id, keyId), policy: policyOf(cap) };
  const plan = PLANS[project.plan].title;
  const terms = { plan, rate, monthlyLimit, month, policy: policyOf(monthlyLimit), key };
  known.set(project, terms);
  return terms;
}

/** A project's limits, and what is left of each at one request, as far as known. */
export class RateLimitStatus {
  readonly terms: Terms;
  burstLeft = 0;
  /** Undefined while unknown: the answer then leaves it out. */
  monthLeft: number | undefined;
  /** The same of the key's own cap. */
  keyLeft: number | undefined;
  readonly #now: number;

  constructor(project: FoundByKey, now: number) {
    this.terms = termsOf(project, now);
    this.#now = now;
  }

  /** Notes what is left after a request of that cost. */
  note({ left, units, ofKey }: Admission, spent: number): void {
    this.monthLeft = left + units - spent;
    if (ofKey !== undefined) this.keyLeft = ofKey.left + units - spent;
  }

  /** Headers of every answer to the project: names and values in turn. */
  rawHeaders(): readonly string[] {
    return ['ratelimit-policy', this.#policy, 'ratelimit', this.#left()];
  }

  headers(): Record<string, string> {
    return { 'ratelimit-policy': this.#policy, ratelimit: this.#left() };
  }

  /** `RateLimit`: what is left, and for how many seconds. An unknown month is left out, as the draft allows. */
  #left(): string {
    const left = this.#tighter === undefined ? this.monthLeft : this.keyLeft;
    const burst = `"burst";r=${Math.floor(this.burstLeft)};t=1`;
    if (left === undefined) return burst;
    return `${burst}, "month";r=${left};t=${Math.ceil((this.terms.month.end - this.#now) / 1000)}`;
  }

  get #policy(): string {
    return (this.#tighter ?? this.terms).policy;
  }

  /** The key's cap if less of it is left than of the project's month, or one of them is not known. */
  get #tighter(): Terms['key'] {
    const { monthLeft = Infinity, keyLeft = 0 } = this;
    return keyLeft <= monthLeft ? this.terms.key : undefined;
  }
}
