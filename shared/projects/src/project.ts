/** A project: the bearer of keys, plan and usage. */

import { Fault } from '@hindsight/kernel/errors.ts';

/** Plans as data: requests a month, requests a second, largest page. */
export const PLANS = {
  free: { title: 'Free', monthlyLimit: 100_000, rate: 5, maxPageSize: 100 },
  starter: { title: 'Starter', monthlyLimit: 1_000_000, rate: 15, maxPageSize: 1000 },
  growth: { title: 'Growth', monthlyLimit: 5_000_000, rate: 50, maxPageSize: 1000 },
  business: { title: 'Business', monthlyLimit: 25_000_000, rate: 150, maxPageSize: 1000 },
  // The numbers of an enterprise project are set on the project.
  enterprise: { title: 'Enterprise', monthlyLimit: null, rate: null, maxPageSize: 1000 },
} as const;

export type PlanName = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as readonly PlanName[];

/** The demo project's id, the same for every installation: a store can then refuse a second one by its id. */
export const DEMO_PROJECT_ID = 'demo';

export interface Project {
  /** Internal id; never a key. */
  readonly id: string;
  readonly name: string;
  /** The portal's user who owns it; null if an operator created it. */
  readonly ownerId: string | null;
  readonly plan: PlanName;
  /** Set on the enterprise plan, otherwise null. */
  readonly monthlyLimit: number | null;
  /** Requests a second; set on the enterprise plan, otherwise null. */
  readonly rate: number | null;
  /** The project behind the public demo key: limited by client address as well. */
  readonly demo: boolean;
  /** A deleted project is kept without keys, for its usage and its audit log; nothing changes it any more. */
  readonly status: 'active' | 'suspended' | 'deleted';
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** A plan with the limits that only an enterprise project sets itself. */
export interface PlanChoice {
  readonly plan: PlanName;
  readonly monthlyLimit?: number;
  readonly rate?: number;
}

/** Largest numbers that an enterprise project can be given. */
const MAX_MONTHLY_LIMIT = 1_000_000_000_000;
const MAX_RATE = 100_000;

export type Limits = ReturnType<typeof limitsOf>;

/** Limits of a project: its plan's, or those set for it on the enterprise plan. */
export function limitsOf({ plan, monthlyLimit, rate }: Project) {
  const standard = PLANS[plan];
  return {
    /** Requests in a UTC calendar month. */
    monthlyLimit: standard.monthlyLimit ?? monthlyLimit ?? 0,
    /** Requests a second. */
    rate: standard.rate ?? rate ?? 0,
    maxPageSize: standard.maxPageSize,
  };
}

/**
 * Checks a choice and gives the fields of a project that follow from it.
 * @throws {InvalidProject} when enterprise limits are missing, out of range, or given with another plan
 */
export function planFields({
  plan,
  monthlyLimit,
  rate,
}: PlanChoice): Pick<Project, 'plan' | 'monthlyLimit' | 'rate'> {
  if (plan !== 'enterprise') {
    if (monthlyLimit === undefined && rate === undefined) return { plan, monthlyLimit: null, rate: null };
    throw new InvalidProject(`the limits of the ${plan} plan are fixed; only enterprise has its own`);
  }
  return {
    plan,
    monthlyLimit: inRange('monthly limit', monthlyLimit, MAX_MONTHLY_LIMIT),
    rate: inRange('rate', rate, MAX_RATE),
  };
}

function inRange(what: string, value: number | undefined, max: number): number {
  if (value !== undefined && Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new InvalidProject(`the enterprise plan needs a ${what}: a whole number from 1 to ${max}`);
}

const MAX_NAME_LENGTH = 100;

/** Trims a name. @throws {InvalidProject} when it is empty, too long or has control characters */
export function projectName(text: string): string {
  return shortText("a project's name", text);
}

/** The same for a name of anything else. @param what the field in the error */
export function shortText(what: string, text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(name)) return name;
  throw new InvalidProject(`${what} has 1 to ${MAX_NAME_LENGTH} characters, none of them control characters`);
}

/** The request does not describe a valid project; callers may read `message`. */
export class InvalidProject extends Fault {}
