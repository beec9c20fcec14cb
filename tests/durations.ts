/**
 * `npm run build:durations -- results.json`: notes the durations of the slow suites in a whole run, from the
 * results of `npm test -- --json --outputFile=results.json`. Faster suites need no place in the order.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

const ROOT = resolve(import.meta.dirname, '..');
const SLOW_SECONDS = 8;

const { testResults } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Results;
const durations = testResults
  .map(
    ({ name, startTime, endTime }) =>
      [relative(ROOT, name), Math.round((endTime - startTime) / 1_000)] as const,
  )
  .filter(([, seconds]) => seconds >= SLOW_SECONDS)
  .sort(([, a], [, b]) => b - a);
writeFileSync(
  resolve(ROOT, 'tests/durations.json'),
  `${JSON.stringify(Object.fromEntries(durations), null, 2)}\n`,
);
