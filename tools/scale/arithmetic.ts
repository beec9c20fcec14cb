/** From unit costs to an installation: arithmetic that readers can repeat with their own figures. */

/** Cost of each operation, in microseconds of one core, and assumed capacities of other servers. */
export interface UnitCosts {
  /** A request at the gateway: key, quota, spool, forwarding. */
  readonly gatewayUs: number;
  /** A balance that is not known yet, over many blocks and tokens, without the node's part. */
  readonly balanceUs: number;
  /** A balance that was answered before. */
  readonly knownUs: number;
  /** A request in the metering service: read, folded, counted. */
  readonly meteringUs: number;
  /** Assumed: historical `eth_call`s a second of one archive node. */
  readonly nodeCalls: number;
  /** Assumed: small updates a second of one shard's primary, written with a majority. */
  readonly shardWrites: number;
  /** Assumed: commands a second of one Redis. */
  readonly redisCommands: number;
}

/** The callers, and their questions. */
export interface Load {
  readonly balancesPerDay: number;
  readonly projects: number;
  /** Gateway processes; as many as the arithmetic finds necessary, but no fewer than two, if not given. */
  readonly gateways?: number;
}

/** Assumptions that hold at every size. */
export interface Shape {
  /** The busiest second against the mean. */
  readonly peak: number;
  /** The share of balances that were answered before. */
  readonly known: number;
  /** Planned utilisation of a part's capacity. */
  readonly use: number;
  /** The n-th project sends an n-th (to this power) of the first one's requests. */
  readonly skew: number;
}

/** An installation. Counts are servers or processes; rates are those of the busiest second. */
export interface Installation {
  readonly perSecond: number;
  readonly peakPerSecond: number;
  readonly gateways: number;
  readonly balanceCores: number;
  readonly meteringCores: number;
  readonly nodes: number;
  readonly usageEvents: number;
  readonly countingWrites: number;
  readonly leaseWrites: number;
  readonly shards: number;
  readonly redisCommands: number;
  readonly redis: number;
}

const DAY_S = 86_400;
/** A gateway sends its counts four times a second. */
const EVENTS_PER_SECOND = 4;
/** A batch is for a minute, and is renewed when a third of that is left. */
const LEASE_LASTS_S = 40;
/** A process serves one core. */
const FEWEST_GATEWAYS = 2;

export function installationFor(load: Load, costs: UnitCosts, shape: Shape): Installation {
  const perSecond = load.balancesPerDay / DAY_S;
  const peak = perSecond * shape.peak;
  const cores = (microseconds: number): number => (peak * microseconds) / 1e6 / shape.use;
  const gateways = load.gateways ?? Math.max(Math.ceil(cores(costs.gatewayUs)), FEWEST_GATEWAYS);
  const unknown = 1 - shape.known;
  const usageEvents = gateways * EVENTS_PER_SECOND;
  // An event changes a record once, for any number of a project's requests.
  const countingWrites = usageEvents * distinct(peak / usageEvents, load.projects, shape.skew);
  const leaseWrites = leasesPerSecond(peak, gateways, load.projects, shape.skew);
  // An unknown answer is looked up and stored; a counted record is copied.
  const redisCommands = 2 * peak * unknown + countingWrites;
  return {
    perSecond,
    peakPerSecond: peak,
    gateways,
    balanceCores: cores(shape.known * costs.knownUs + unknown * costs.balanceUs),
    meteringCores: cores(costs.meteringUs),
    nodes: Math.max(Math.ceil((peak * unknown) / costs.nodeCalls / shape.use), 1),
    usageEvents,
    countingWrites,
    leaseWrites,
    shards: Math.max(Math.ceil((countingWrites + leaseWrites) / costs.shardWrites / shape.use), 1),
    redisCommands,
    redis: Math.max(Math.ceil(redisCommands / costs.redisCommands / shape.use), 1),
  };
}

/**
 * Leases a second: one for a project's requests of the next while, and one for each request of a project that
 * is seldom active.
 * @param reached gateways that the requests of one project reach
 */
export function leasesPerSecond(rate: number, reached: number, projects: number, skew: number): number {
  let [sum, leases] = [0, 0];
  for (let n = 1; n <= projects; n++) sum += n ** -skew;
  for (let n = 1; n <= projects; n++)
    leases += reached * Math.min((rate * n ** -skew) / sum / reached, 1 / LEASE_LASTS_S);
  return leases;
}

/** Average number of projects behind a number of requests. */
export function distinct(requests: number, projects: number, skew: number): number {
  let [sum, found] = [0, 0];
  for (let n = 1; n <= projects; n++) sum += n ** -skew;
  for (let n = 1; n <= projects; n++) found += 1 - (1 - n ** -skew / sum) ** requests;
  return found;
}
