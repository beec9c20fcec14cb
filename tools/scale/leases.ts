/**
 * A simulation of leases: cost of the exact monthly limit for many gateways. First a whole population of
 * projects, for the writes of the store; then single projects that use up their month, for the requests that
 * are refused while other gateways still hold units.
 */
import { Fleet } from './fleet.ts';
import { seeded, zipf } from './random.ts';

const SECOND_MS = 1_000;
const MONTH_S = 30 * 86_400;
/** Until gateways hold what they hold on. */
const WARM_UP_S = 70;
/** Months with plenty left release so seldom that fewer looks see the same. */
const LOOK_EVERY_MS = 5_000;
const LIMITS = [100_000, 1_000_000, 5_000_000, 25_000_000];

/** Spread of one project's requests over gateways by a balancer. */
export interface Spread {
  /** Of all gateways, those that a project's requests reach. */
  readonly gateways: number;
  /** 0: all of them alike; 1: the n-th gets an n-th of the first one's. */
  readonly skew: number;
}

/** An installation and its load. */
export interface Population {
  readonly gateways: number;
  readonly projects: number;
  /** Requests a second, of all projects together. */
  readonly rate: number;
  /** The n-th project has the first one's rate divided by n to this power. */
  readonly skew: number;
  readonly spread: Spread;
  /** Simulated seconds of measurement, after a warm-up. */
  readonly seconds: number;
}

export interface PopulationResult {
  readonly requests: number;
  readonly refused: number;
  /** Of the ledger, by a second and by a request. */
  readonly writesPerSecond: number;
  readonly writesPerRequest: number;
  /** Units that gateways hold and no request has spent, in seconds of the load. */
  readonly heldSeconds: number;
  /** The same as a share of what all projects may spend in a month. */
  readonly heldShare: number;
}

/** Runs a population whose months are far from used up. */
export async function simulatePopulation(of: Population, seed = 1): Promise<PopulationResult> {
  const { gateways, projects, rate, skew, spread, seconds } = of;
  const random = seeded(seed);
  const pickProject = zipf(projects, skew, random);
  const pickGateway = picker(gateways, spread, random);
  const limits = limitsOf(of);
  const fleet = new Fleet(LOOK_EVERY_MS);
  let [now, requests, refused, writesBefore, spent] = [0, 0, 0, 0, 0];
  const [from, until] = [WARM_UP_S * SECOND_MS, (WARM_UP_S + seconds) * SECOND_MS];
  for (;;) {
    const next = now + (-Math.log(1 - random()) * SECOND_MS) / rate;
    if (next >= until) break;
    if (now < from && next >= from) writesBefore = fleet.ledger.writes;
    now = next;
    const project = pickProject();
    const outcome = await fleet.ask(pickGateway(project), String(project), limits[project] ?? 0, now);
    if (outcome === 'admitted') spent++;
    if (now < from) continue;
    requests++;
    if (outcome === 'refused') refused++;
  }
  const writes = fleet.ledger.writes - writesBefore;
  const held = fleet.ledger.taken - spent;
  return {
    requests,
    refused,
    writesPerSecond: writes / seconds,
    writesPerRequest: writes / requests,
    heldSeconds: held / rate,
    heldShare: held / limits.reduce((sum, limit) => sum + limit, 0),
  };
}

/** The plan that fits a project's month one and a half times; above the plans, that number itself. */
function limitsOf({ projects, rate, skew }: Population): readonly number[] {
  const weights = Array.from({ length: projects }, (_, n) => (n + 1) ** -skew);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => {
    const wanted = Math.ceil((1.5 * MONTH_S * rate * weight) / sum);
    return LIMITS.find((limit) => limit >= wanted) ?? wanted;
  });
}

/** A project that uses up its month. */
export interface Exhaustion {
  readonly gateways: number;
  readonly spread: Spread;
  /** Units that are left when it begins. */
  readonly left: number;
  /** The month's. */
  readonly limit: number;
  /** Requests a second. */
  readonly rate: number;
  /** Simulated seconds after the first refusal. */
  readonly seconds: number;
}

/** End of the project's month. */
export interface ExhaustionResult {
  readonly writesPerRequest: number;
  /** Units that other gateways held when the first request was refused, as a share of the limit. */
  readonly heldAtFirstRefusal: number;
  /** Requests that were refused while units lay idle at other gateways. */
  readonly needless: number;
  /** Seconds from the first such refusal to the last. */
  readonly needlessSeconds: number;
  /** Units that were leased and never spent, as a share of the limit. */
  readonly unspent: number;
}

/** Runs one project until its month is used up, and a while beyond. @throws {Error} when the limit is exceeded */
export async function simulateExhaustion(of: Exhaustion, seed = 1): Promise<ExhaustionResult> {
  const { gateways, spread, left, limit, rate, seconds } = of;
  const random = seeded(seed);
  const pickGateway = picker(gateways, spread, random);
  const fleet = new Fleet();
  const project = 'p';
  fleet.ledger.spend(project, limit - left);
  let [now, requests, spent, needless, held, lastNeedless] = [0, 0, limit - left, 0, 0, 0];
  let firstRefusal: number | undefined;
  while (now < (firstRefusal ?? Infinity) + seconds * SECOND_MS) {
    now += (-Math.log(1 - random()) * SECOND_MS) / rate;
    requests++;
    if ((await fleet.ask(pickGateway(0), project, limit, now)) === 'admitted') {
      spent++;
    } else {
      if (firstRefusal === undefined) [firstRefusal, held] = [now, limit - spent];
      if (spent < limit) [needless, lastNeedless] = [needless + 1, now];
    }
    if (spent > limit) throw new Error(`${spent} of ${limit} units are spent`);
  }
  return {
    writesPerRequest: fleet.ledger.writes / requests,
    heldAtFirstRefusal: held / limit,
    needless,
    needlessSeconds: needless === 0 ? 0 : (lastNeedless - (firstRefusal ?? 0)) / SECOND_MS,
    unspent: (limit - spent) / limit,
  };
}

/** The gateway of a project's next request: of a few that are the project's own, or of all. */
function picker(gateways: number, spread: Spread, random: () => number): (project: number) => number {
  const pick = zipf(spread.gateways, spread.skew, random);
  return (project) => ((Math.imul(project + 1, 0x9e3779b1) >>> 0) + pick()) % gateways;
}
