/** Runs seeds in this process, whose clocks, timers, files and random numbers it replaces. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Machine } from './machine/machine.ts';
import { Random } from './machine/random.ts';
import { takeOverNode } from './machine/take-over-node.ts';
import type { Run } from './options.ts';
import { Pace } from './pace.ts';
import type { RunResult } from './run.ts';

export type SeedResult = RunResult & {
  readonly seed: number;
  readonly plant?: string | undefined;
  /** Real milliseconds of processor time. */
  readonly processorMs: number;
};

const realNow = performance.now.bind(performance);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A month ends there; more than half of the runs cross it. */
const EDGE = Date.UTC(2026, 11, 1);

/**
 * Puts machines in place of this process's Node, for good.
 * @returns runs seeds one after another; throws for a fault that cannot be planted
 */
export async function prepareSeeds(): Promise<(run: Run) => AsyncGenerator<SeedResult>> {
  // Each process of several starts in half of the time.
  enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/hindsight'));
  let machine = new Machine(new Random(0), EDGE);
  takeOverNode(() => machine);
  // Imported only now, so that the services find the machine in place of Node.
  const { runSeed } = await import('./run.ts');
  const { PLANTS } = await import('./plants.ts');
  const escaped: unknown[] = [];
  process.on('unhandledRejection', (error) => escaped.push(error));
  return async function* ({ seed: first, seeds, minutes, hours, busy, plant }) {
    if (plant !== undefined && !(plant in PLANTS))
      throw new Error(`--plant is one of ${Object.keys(PLANTS).join(', ')}`);
    const end = realNow() + minutes * MINUTE;
    for (let seed = first; seed < first + seeds && realNow() < end; seed++) {
      const before = process.cpuUsage();
      const random = new Random(seed);
      const pace = new Pace(random, hours * HOUR, busy * MINUTE);
      machine = new Machine(random, EDGE - pace.monthEnd);
      const result = await runSeed(machine, pace, plant);
      const broken = [...result.broken, ...escaped.splice(0).map((error) => `not handled: ${String(error)}`)];
      const { user, system } = process.cpuUsage(before);
      yield { seed, plant, ...result, broken, processorMs: (user + system) / 1000 };
    }
  };
}
