/** The arithmetic and the simulations behind docs/scale.md. */
import { describe, expect, it } from '@jest/globals';
import { distinct, installationFor, leasesPerSecond } from '@hindsight/tools/scale/arithmetic.ts';
import { COSTS, SHAPE } from '@hindsight/tools/scale/figures.ts';
import { simulateExhaustion, simulatePopulation } from '@hindsight/tools/scale/leases.ts';
import { simulateReads } from '@hindsight/tools/scale/reads.ts';

describe('the arithmetic of scale', () => {
  it('multiplies unit costs', () => {
    const load = { balancesPerDay: 86_400 * 1_000, projects: 1_000 };
    const installation = installationFor(load, { ...COSTS, gatewayUs: 100, nodeCalls: 500 }, SHAPE);
    // 3,000 a second at the peak, half of them unknown; every part is planned to be half used.
    expect(installation).toMatchObject({ perSecond: 1_000, peakPerSecond: 3_000, gateways: 2, nodes: 6 });
    expect(installation.usageEvents).toBe(8);
  });

  it('counts the projects behind some requests', () => {
    expect(distinct(1, 1_000, 1)).toBeCloseTo(1);
    expect(distinct(10, 10, 0)).toBeCloseTo(10 * (1 - 0.9 ** 10));
  });

  it('estimates about as many leases as the simulation makes', async () => {
    const population = { gateways: 20, projects: 2_000, rate: 500, skew: 1, seconds: 30 };
    const { writesPerSecond } = await simulatePopulation({
      ...population,
      spread: { gateways: 20, skew: 0 },
    });
    const estimated = leasesPerSecond(500, 20, 2_000, 1);
    expect(writesPerSecond / estimated).toBeGreaterThan(0.5);
    expect(writesPerSecond / estimated).toBeLessThan(2);
  });
});

describe('leases of many gateways', () => {
  it('refuse nothing while a month has plenty left, and hold two minutes of the load at most', async () => {
    const population = { gateways: 50, projects: 500, rate: 300, skew: 1, seconds: 30 };
    const spread = { gateways: 50, skew: 0 };
    const { refused, heldSeconds, writesPerRequest } = await simulatePopulation({ ...population, spread });
    expect(refused).toBe(0);
    expect(heldSeconds).toBeLessThan(120);
    expect(writesPerRequest).toBeLessThan(1.5);
  });

  it.each([
    ['any gateway', 200, 0],
    ['any gateway, unevenly', 200, 1],
    ['two gateways', 2, 0],
  ])('spend the whole month, and refuse little before that: %s', async (_name, reached, skew) => {
    const spread = { gateways: reached, skew };
    const project = { gateways: 200, spread, left: 30_000, limit: 30_000, rate: 50, seconds: 120 };
    const { heldAtFirstRefusal, unspent } = await simulateExhaustion(project);
    // The simulation itself fails where the limit is exceeded. What others hold by then is ten seconds of the load at most.
    expect(heldAtFirstRefusal * 30_000).toBeLessThan(500);
    // Two minutes later at most one unit a gateway is left.
    expect(unspent * 30_000).toBeLessThan(200);
  });
});

describe('questions to the index', () => {
  const COST = { page: 10, wallet: 40, million: 60 };
  const SOME = { points: 1e6, tokens: 1, wallets: 0.5, lists: 0.1 };

  it('take what they cost where each is alone', () => {
    const { machines, took } = simulateReads(0.001, false, COST, SOME);
    expect(machines).toBe(1);
    for (const [kind, cost] of [
      ['page', 10],
      ['wallet', 40],
      ['list', 60],
    ] as const) {
      expect(took[kind].p50).toBeCloseTo(cost);
      expect(took[kind].p99).toBeCloseTo(cost);
    }
  });

  it('share machines that are half used, and wait less for each other where lists have machines of their own', () => {
    // 30 ms on average: 6 s of work a second.
    const together = simulateReads(200, false, COST, SOME);
    expect(together.machines).toBe(13);
    expect(together.used).toBeCloseTo(0.46, 1);
    expect(together.took.wallet.p99).toBeGreaterThan(45);
    const large = { ...SOME, points: 1e8 };
    const waited = simulateReads(10, false, COST, large).took.wallet.p99;
    expect(simulateReads(10, true, COST, large).took.wallet.p99).toBeLessThan(waited);
  });
});
