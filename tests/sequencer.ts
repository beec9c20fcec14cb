/**
 * Slow suites first, so that no worker is left alone with one at the end. With `SUITES_ON_SERVERS=last`, suites that need a
 * server follow all others, which run while servers are installed. jest orders by what its cache says of the last run; a fresh
 * clone has none, and a file's size says little: some of the slowest suites only name a contract.
 */
import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';

interface Suite {
  readonly path: string;
}

const ROOT = resolve(import.meta.dirname, '..');
/** The seconds that the slowest suites took in a whole run; `npm run build:durations` makes the file. */
const DURATIONS = JSON.parse(readFileSync(resolve(ROOT, 'tests/durations.json'), 'utf8')) as Readonly<
  Record<string, number>
>;
/** A new one of a slow kind starts servers or whole processes. */
const SLOW = /\/tests\/(browser|deploy|e2e|faults|tokens|truth)\/|\.servers\.test\.ts$/;
const SLOW_SECONDS = 20;
const ON_SERVERS = '.servers.test.ts';
/** Seconds added so that suites that take turns (tools/servers/network-turns.ts) rarely wait: engine first, browser later. */
const ADJUSTMENTS: Readonly<Record<string, number>> = {
  'tests/deploy/compose.servers.test.ts': 1_000,
  'tests/deploy/image.servers.test.ts': 1_000,
  'tests/browser/portal.test.ts': -150,
};

export default class SlowFirst {
  sort(suites: readonly Suite[]): Suite[] {
    const weighed = suites.map((suite) => ({
      suite,
      waits: Number(process.env.SUITES_ON_SERVERS === 'last' && suite.path.endsWith(ON_SERVERS)),
      seconds: secondsOf(suite.path),
      size: statSync(suite.path).size,
    }));
    return weighed
      .sort((a, b) => a.waits - b.waits || b.seconds - a.seconds || b.size - a.size)
      .map(({ suite }) => suite);
  }

  /** By order, so that every part of a run has its share of each kind. */
  shard(
    suites: readonly Suite[],
    { shardIndex, shardCount }: { shardIndex: number; shardCount: number },
  ): Suite[] {
    return this.sort(suites).filter((_, i) => i % shardCount === shardIndex - 1);
  }

  /** For `--onlyFailures`, which has no memory here: all of them. */
  allFailedTests(suites: readonly Suite[]): Suite[] {
    return [...suites];
  }

  cacheResults(): void {
    // Nothing to store: the order is the same every time.
  }
}

function secondsOf(path: string): number {
  const name = relative(ROOT, path);
  return (DURATIONS[name] ?? (SLOW.test(path) ? SLOW_SECONDS : 0)) + (ADJUSTMENTS[name] ?? 0);
}
