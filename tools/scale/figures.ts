/** The figures behind docs/scale.md: what was measured, and what is assumed. */
import type { Load, Shape, UnitCosts } from './arithmetic.ts';
import type { IndexCosts, IndexShape } from './reads.ts';

/** Measured ones as in tools/bench/README.md, on 2 cores with Node 24; the last three are assumptions. */
export const COSTS: UnitCosts = {
  gatewayUs: 80,
  balanceUs: 205,
  knownUs: 33,
  meteringUs: 9,
  nodeCalls: 1_500,
  shardWrites: 10_000,
  redisCommands: 100_000,
};

export const SHAPE: Shape = {
  peak: 3,
  known: 0.5,
  use: 0.5,
  skew: 1,
};

export const LOADS: readonly Load[] = [
  { balancesPerDay: 2e6, projects: 1_000 },
  { balancesPerDay: 2e7, projects: 10_000 },
  { balancesPerDay: 2e8, projects: 100_000 },
  { balancesPerDay: 2e9, projects: 1_000_000 },
];

/** ClickHouse's engine on 2 cores with 20 million points: a list of 4.35 million took 259 ms. */
export const INDEX_COSTS: IndexCosts = { page: 10, wallet: 40, million: 259 / 4.35 };

/** Assumed, but for the points. */
export const INDEX_SHAPE: IndexShape = { points: 6.8e9, tokens: 100_000, wallets: 0.25, lists: 0.05 };
