/**
 * `npm run simulate [-- --seed N] [--seeds K | --minutes M] [--hours H] [--plant NAME] [--json]`: runs K seeds from N on, or
 * as many as fit into the minutes, each for H simulated hours; with a planted fault, until it is found. Prints the faults, the
 * answers and the broken promises; exits with 1 if any is broken.
 */
import { parseArgs } from 'node:util';
import { Machine } from './machine/machine.ts';
import { Random } from './machine/random.ts';
import { takeOverNode } from './machine/take-over-node.ts';
import type { RunResult } from './run.ts';

const realNow = performance.now.bind(performance);
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    hours: { type: 'string', default: '2' },
    plant: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const HOUR = 3_600_000;
/** Each run begins near it, and about half of the runs cross it. */
const EDGE = Date.UTC(2026, 11, 1);

let machine = new Machine(0, EDGE);
takeOverNode(() => machine);
// Imported only now, so that the services find the machine in the place of Node.
const { runSeed } = await import('./run.ts');
const { PLANTS } = await import('./plants.ts');

const first = numberOf('seed');
const minutes = values.minutes === undefined ? Infinity : numberOf('minutes');
const most = values.minutes === undefined ? numberOf('seeds') : Infinity;
const hours = numberOf('hours');
if (values.plant !== undefined && !(values.plant in PLANTS))
  throw new Error(`--plant is one of ${Object.keys(PLANTS).join(', ')}`);
const faults: Record<string, number> = {};
const answers: Record<string, number> = {};
const escaped: unknown[] = [];
process.on('unhandledRejection', (error) => escaped.push(error));
let simulatedMs = 0;
let events = 0;
let failed = 0;
let count = 0;
const begun = realNow();
const processorBegun = process.cpuUsage();
for (; count < most && realNow() - begun < minutes * 60_000 && !isFound(); count++) {
  const seed = first + count;
  machine = new Machine(seed, EDGE - new Random(seed).between(-0.5, 1.5) * hours * HOUR);
  const result = await runSeed(machine, hours * HOUR, values.plant);
  const broken = [...result.broken, ...escaped.splice(0).map((error) => `not handled: ${String(error)}`)];
  simulatedMs += result.simulatedMs;
  events += result.events;
  add(faults, result.faults);
  add(answers, result.answers);
  if (broken.length > 0) failed++;
  print(seed, { ...result, broken });
}
const seconds = (realNow() - begun) / 1000;
const { user, system } = process.cpuUsage(processorBegun);
const processorSeconds = (user + system) / 1e6;
const simulatedHours = simulatedMs / HOUR;
if (!values.json) {
  console.log(`faults: ${listed(faults)}`);
  console.log(`answers: ${listed(answers)}`);
  console.log(
    `${count} seeds, ${failed} with a broken promise; ${simulatedHours.toFixed(1)} simulated hours, ` +
      `${events} events, in ${seconds.toFixed(1)} s: ${((simulatedHours / seconds) * 60).toFixed(1)} hours a minute; ` +
      `${processorSeconds.toFixed(1)} s of processor time, ${(processorSeconds / count).toFixed(2)} s a seed`,
  );
}
process.exitCode = failed === 0 ? 0 : 1;

function isFound(): boolean {
  return values.plant !== undefined && failed > 0;
}

function numberOf(name: 'seed' | 'seeds' | 'minutes' | 'hours'): number {
  const number = Number(values[name]);
  if (!(number > 0)) throw new Error(`--${name} is a number above 0`);
  return number;
}

function print(seed: number, result: RunResult): void {
  if (values.json) return console.log(JSON.stringify({ seed, ...result }));
  if (result.broken.length === 0) return;
  const plant = values.plant === undefined ? '' : ` --plant ${values.plant}`;
  console.log(`seed ${seed}: npm run simulate -- --seed ${seed} --hours ${hours}${plant}`);
  for (const promise of result.broken) console.log(`  ${promise}`);
}

function add(sums: Record<string, number>, some: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(some)) sums[name] = (sums[name] ?? 0) + count;
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort()
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
