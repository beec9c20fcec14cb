/**
 * `npm run simulate [-- --seed N] [--seeds K | --minutes M] [--jobs J] [--hours H] [--busy B] [--plant NAME[@SEED]]... [--json]`: runs K
 * seeds from N on, or as many as begin within the minutes, over J processes. Each seed lasts H simulated hours, in B minutes of
 * which clients are busy. A planted fault is looked for until it is found, each of several in turn. Prints each broken promise
 * with the command that replays it, and, every 500 seeds and at the end, what was injected and what was checked; exits with 1
 * if any is broken.
 */
import { readOptions, type Run } from './options.ts';
import type { SeedResult } from './seeds.ts';
import { Summary } from './summary.ts';

/** A long run that is stopped still has its table. */
const SUMMARY_EVERY = 500;
const realNow = performance.now.bind(performance);
const options = readOptions();
const begun = realNow();
const summary = new Summary(options);
const run = await runner();
const { plants, seed } = options;
for (const one of plants.length === 0 ? [{ plant: undefined, seed }] : plants) {
  for await (const result of run({ ...options, ...one })) {
    summary.add(result);
    if (options.json) console.log(JSON.stringify(result));
    else for (const line of summary.broken(result)) console.log(line);
    if (!options.json && summary.seeds % SUMMARY_EVERY === 0) print();
    if (one.plant !== undefined && result.broken.length > 0) break;
  }
}
if (!options.json && summary.seeds % SUMMARY_EVERY !== 0) print();
process.exitCode = summary.isKept ? 0 : 1;

function print(): void {
  console.log(summary.text((realNow() - begun) / 1000));
}

/** Imports code of the services only where seeds are run: Node is no longer itself there. */
async function runner(): Promise<(run: Run) => AsyncIterable<SeedResult>> {
  const { jobs } = options;
  if (jobs === 1) return (await import('./seeds.ts')).prepareSeeds();
  const { spread } = await import('./jobs.ts');
  return (run) => spread(run, jobs);
}
