/** The figures behind docs/scale.md: what was measured, and what is assumed. */
import type { Load, Shape, UnitCosts } from './arithmetic.ts';

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
