/**
 * `npm run build:durations -- results.json`: notes the durations of the slow suites in a whole run, from the
 * results of `npm test -- --maxWorkers=2 --json --outputFile=results.json`, in this clone or another. Faster suites need no place
 * in the order. More workers than there are cores rest at times (tests/room.ts), which would count as their suite's.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

const SLOW_SECONDS = 8;

const { testResults } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Results;
const clone = folderOfAll(testResults.map(({ name }) => name));
const durations = testResults
  .map(
    ({ name, startTime, endTime }) =>
      [relative(clone, name), Math.round((endTime - startTime) / 1_000)] as const,
  )
  .filter(([, seconds]) => seconds >= SLOW_SECONDS)
  .sort(([, a], [, b]) => b - a);
writeFileSync(
  resolve(import.meta.dirname, 'durations.json'),
  `${JSON.stringify(Object.fromEntries(durations), null, 2)}\n`,
);

/** The innermost folder that has all of these files. */
function folderOfAll(files: readonly string[]): string {
  const [first = [], ...others] = files.map((file) => file.split(sep).slice(0, -1));
  const end = first.findIndex((part, at) => others.some((parts) => parts[at] !== part));
  return first.slice(0, end === -1 ? undefined : end).join(sep);
}
