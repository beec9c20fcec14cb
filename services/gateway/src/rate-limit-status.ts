import { limitsOf, PLANS, type Project } from '@hindsight/projects/project.ts';
import { periodOf } from '@hindsight/usage/calendar.ts';
import { rateLeft, ratePolicy, type Allowance } from './domain/rate-headers.ts';

/** What stays the same for a project during a month. */
interface Terms extends Allowance {
  /** As people know it: `Free`. */
  readonly plan: string;
  readonly policy: string;
}

/** Keyed by the cached project object: a changed project is another object. */
const known = new WeakMap<Project, Terms>();

function termsOf(project: Project, now: number): Terms {
  const before = known.get(project);
  if (before !== undefined && now >= before.month.start && now < before.month.end) return before;
  const { rate, monthlyLimit } = limitsOf(project);
  const allowance = { rate, monthlyLimit, month: periodOf(now) };
  const terms = { ...allowance, plan: PLANS[project.plan].title, policy: ratePolicy(allowance) };
  known.set(project, terms);
  return terms;
}

/** A project's limits and what is left of them at one request, as far as known. */
export class RateLimitStatus {
  readonly terms: Terms;
  burstLeft = 0;
  /** Undefined as long as it is not known: then nothing is said of it. */
  monthLeft: number | undefined;
  readonly #now: number;

  constructor(project: Project, now: number) {
    this.terms = termsOf(project, now);
    this.#now = now;
  }

  /** What every answer to the project carries: names and values in turn. */
  rawHeaders(): readonly string[] {
    return ['ratelimit-policy', this.terms.policy, 'ratelimit', this.#left()];
  }

  /** The same, by name. */
  headers(): Record<string, string> {
    return { 'ratelimit-policy': this.terms.policy, ratelimit: this.#left() };
  }

  #left(): string {
    return rateLeft(this.burstLeft, this.monthLeft, this.terms.month.end, this.#now);
  }
}
