/**
 * Slow suites first, so that no worker is left alone with one at the end. jest orders by what its cache says of the
 * last run; a fresh clone has none, and a file's size says little: some of the slowest suites only name a contract.
 */
import { statSync } from 'node:fs';

interface Suite {
  readonly path: string;
}

/** The slowest kinds, slowest first: each starts servers or whole processes. */
const SLOW = [/\/tests\/(faults|browser)\//, /\/tests\/(e2e|tokens|truth)\//, /\.servers\.test\.ts$/];

export default class SlowFirst {
  sort(suites: readonly Suite[]): Suite[] {
    const weighed = suites.map((suite) => ({
      suite,
      kind: kindOf(suite.path),
      size: statSync(suite.path).size,
    }));
    return weighed.sort((a, b) => a.kind - b.kind || b.size - a.size).map(({ suite }) => suite);
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

function kindOf(path: string): number {
  const kind = SLOW.findIndex((slow) => slow.test(path));
  return kind < 0 ? SLOW.length : kind;
}
