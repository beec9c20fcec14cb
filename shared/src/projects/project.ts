/** A project: what a key stands for, and what its requests are counted on. */

/** Plans as data (decisions.md, "Limits"): requests a month, requests a second, largest page. */
export const PLANS = {
  free: { title: 'Free', monthlyLimit: 100_000, rate: 5, maxPageSize: 100 },
  starter: { title: 'Starter', monthlyLimit: 1_000_000, rate: 15, maxPageSize: 1000 },
  growth: { title: 'Growth', monthlyLimit: 5_000_000, rate: 50, maxPageSize: 1000 },
  business: { title: 'Business', monthlyLimit: 25_000_000, rate: 150, maxPageSize: 1000 },
  // The numbers of an enterprise project are set on the project.
  enterprise: { title: 'Enterprise', monthlyLimit: null, rate: null, maxPageSize: 1000 },
} as const;

/** A plan's name. */
export type PlanName = keyof typeof PLANS;

/** The names of all plans. */
export const PLAN_NAMES = Object.keys(PLANS) as readonly PlanName[];

/** A project as it is stored. */
export interface Project {
  /** Internal id; never a key. */
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  /** Set where the plan is enterprise, otherwise null. */
  readonly monthlyLimit: number | null;
  /** Requests a second; set where the plan is enterprise, otherwise null. */
  readonly rate: number | null;
  /** The project behind the public demo key: limited by client address as well. */
  readonly demo: boolean;
  readonly status: 'active' | 'suspended';
  /** Unix milliseconds. */
  readonly createdAt: number;
}
