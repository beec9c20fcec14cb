/**
 * `npm run mutate [-- TEXT]`: plants one fault after the other, those whose promise or file has TEXT in it,
 * and runs the suites that must notice. Prints a line each; ends with 1 if one survived. Not in CI: it takes
 * minutes.
 */
import { spawn } from 'node:child_process';
import { FAULTS, type Fault } from './faults.ts';
import { ROOT, whilePlanted } from './plant.ts';

/** A suite that hangs on a fault has noticed it. */
const SUITES_WITHIN_MS = 10 * 60_000;

type Outcome = 'killed' | 'LIVED' | 'hung' | 'ended';

const wanted = process.argv[2] ?? '';
const faults = FAULTS.filter(({ promise, file }) => promise.includes(wanted) || file.includes(wanted));

/** Ends the suites that run, so that the fault they run on is taken out again. */
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

function noticedBy({ suites }: Fault): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['test', '--', '--bail', ...suites], {
      cwd: ROOT,
      stdio: 'ignore',
      timeout: SUITES_WITHIN_MS,
      signal: stop.signal,
    });
    child.once('error', (error) => (stop.signal.aborted ? resolve('ended') : reject(error)));
    child.once('exit', (code, signal) => {
      if (stop.signal.aborted) resolve('ended');
      else if (signal !== null) resolve('hung');
      else resolve(code === 0 ? 'LIVED' : 'killed');
    });
  });
}

const found = { killed: 0, LIVED: 0, hung: 0, ended: 0 };
for (const fault of faults) {
  const begun = performance.now();
  const outcome = await whilePlanted(fault, () => noticedBy(fault));
  found[outcome]++;
  if (outcome === 'ended') break;
  const seconds = `${((performance.now() - begun) / 1_000).toFixed(0)} s`;
  console.log([outcome.padEnd(8), seconds.padStart(6), fault.promise.padEnd(72), fault.file].join('  '));
}
const { killed, LIVED: lived, hung } = found;
const left = faults.length - killed - lived - hung;
console.log(`${killed + hung} of ${faults.length} noticed${left > 0 ? `, ${left} not tried` : ''}`);
process.exitCode = lived === 0 && left === 0 ? 0 : 1;
