/** Where a project stands, as far as it is known on the way. */
import { limitsOf, PLANS, type Project } from '@hindsight/shared/projects/project.ts';
import { periodOf } from '@hindsight/shared/usage/calendar.ts';
import { rateLeft, ratePolicy, type Allowance } from './domain/rate-headers.ts';

/** What stays the same for a project during a month. */
interface Terms extends Allowance {
  /** As people know it: `Free`. */
  readonly plan: string;
  readonly policy: string;
}

/** By the project as it is remembered: another state of it is another object. */
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

/** A project's limits, and what is left of them for one request. */
export class Standing {
  readonly terms: Terms;
  burstLeft = 0;
  monthLeft = 0;
  readonly #now: number;

  constructor(project: Project, now: number) {
    this.terms = termsOf(project, now);
    this.#now = now;
  }

  /** Adds the headers that every answer to the project carries, names and values in turn. */
  writeTo(headers: string[]): void {
    headers.push('ratelimit-policy', this.terms.policy, 'ratelimit', this.#left());
  }

  /** The same, for a refusal. */
  headers(): Record<string, string> {
    return { 'ratelimit-policy': this.terms.policy, ratelimit: this.#left() };
  }

  #left(): string {
    return rateLeft(this.burstLeft, this.monthLeft, this.terms.month.end, this.#now);
  }
}
