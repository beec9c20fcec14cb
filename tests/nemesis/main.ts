/**
 * `npm run faults [-- --seed N] [--seeds K] [--minutes M] [--redis cluster]`: `npm run stack` on real servers, under faults
 * for M minutes a seed. Prints faults, answers, recovery times and broken promises; exits with 1 if any is broken. SIGTERM
 * ends it after the seed that runs.
 */
import { parseArgs } from 'node:util';
import { quantile } from '../support/steady-load.ts';
import { onInstallation, runSeed, type SeedReport } from './run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '3' },
    redis: { type: 'string', default: 'single' },
  },
});

const first = numberOf('seed');
const count = numberOf('seeds');
const seconds = numberOf('minutes') * 60;
const { redis } = values;
if (redis !== 'single' && redis !== 'cluster') throw new Error('--redis is single or cluster');
const reports: SeedReport[] = [];
let isEnding = false;
// Not `once`: a library ends the process where no other listener is left.
process.on('SIGTERM', () => (isEnding = true));
await onInstallation(async (installation, watch) => {
  for (let seed = first; seed < first + count && !isEnding; seed++) {
    const report = await runSeed(installation, watch, { seed, seconds });
    reports.push(report);
    print(report);
  }
}, redis);
printSums();
process.exit(reports.every(({ broken }) => broken.length === 0) ? 0 : 1);

function numberOf(name: 'seed' | 'seeds' | 'minutes'): number {
  const number = Number(values[name]);
  if (!(number > 0)) throw new Error(`--${name} is a number above 0`);
  return number;
}

function print({ seed, seen, faults, recoveries, broken }: SeedReport): void {
  const struck = Object.values(faults).reduce((sum, one) => sum + one, 0);
  console.log(`seed ${seed}: ${struck} faults, ${JSON.stringify(seen)}, ${broken.length} promises broken`);
  console.log(`  ${JSON.stringify({ faults, recoveries })}`);
  for (const promise of broken) console.log(`  ${promise}`);
  if (broken.length > 0)
    console.log(`  again: npm run faults -- --seed ${seed} --minutes ${values.minutes} --redis ${redis}`);
}

function printSums(): void {
  const struck = new Map<string, number>();
  const recoveries = new Map<string, number[]>();
  for (const report of reports) {
    for (const [name, times] of Object.entries(report.faults))
      struck.set(name, (struck.get(name) ?? 0) + times);
    for (const { fault, ms } of report.recoveries)
      recoveries.set(fault, [...(recoveries.get(fault) ?? []), ms]);
  }
  const rows = [...struck].sort().map(([fault, times]) => {
    const sorted = Float64Array.from(recoveries.get(fault) ?? []).sort();
    const ms = (share: number): string => (sorted.length === 0 ? '' : quantile(sorted, share).toFixed(0));
    return { fault, times, 'recovered, p50 ms': ms(0.5), 'worst ms': ms(1) };
  });
  console.table(rows);
  const broken = reports.filter((report) => report.broken.length > 0).length;
  console.log(`${reports.length} seeds, ${broken} with a broken promise`);
}
