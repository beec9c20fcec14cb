/** Summary of some seeds: what was injected into them, what was asked, and what was found. */
import { wordsOf, type Options } from './options.ts';
import type { SeedResult } from './seeds.ts';

const HOUR = 3_600_000;
const COLUMNS = 3;

export class Summary {
  seeds = 0;
  readonly #options: Options;
  readonly #faults: Record<string, number> = {};
  readonly #answers: Record<string, number> = {};
  readonly #failed: number[] = [];
  #hours = 0;
  #events = 0;
  #starts = 0;
  #processorSeconds = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get isKept(): boolean {
    return this.#failed.length === 0;
  }

  add({ seed, broken, faults, answers, simulatedMs, events, starts, processorMs }: SeedResult): void {
    this.seeds++;
    this.#hours += simulatedMs / HOUR;
    this.#events += events;
    this.#starts += starts;
    this.#processorSeconds += processorMs / 1000;
    count(this.#faults, faults);
    count(this.#answers, answers);
    if (broken.length > 0) this.#failed.push(seed);
  }

  /** The broken promises of a seed, below the command that replays it. */
  broken({ seed, plant, broken }: SeedResult): string[] {
    if (broken.length === 0) return [];
    const words = wordsOf({ ...this.#options, plant, seed, seeds: 1 }).join(' ');
    return [`seed ${seed}: npm run simulate -- ${words}`, ...broken.map((promise) => `  ${promise}`)];
  }

  /** @param seconds real time that it took */
  text(seconds: number): string {
    const hoursInMinute = (of: number): string => ((this.#hours / of) * 60).toFixed(0);
    const perSeed = (this.#processorSeconds / this.seeds).toFixed(2);
    return [
      'injected:',
      ...table(this.#faults),
      'answers:',
      ...table(this.#answers),
      `${this.seeds} seeds, ${this.#starts} processes started, ${this.#events} events; ` +
        `broken promises in ${this.isKept ? 'none' : `seeds ${this.#failed.join(', ')}`}`,
      `${this.#hours.toFixed(1)} simulated hours in ${seconds.toFixed(1)} s: ${hoursInMinute(seconds)} a minute, ` +
        `${hoursInMinute(this.#processorSeconds)} a minute of processor time; ${perSeed} s of it a seed`,
    ].join('\n');
  }
}

function count(sums: Record<string, number>, some: Readonly<Record<string, number>>): void {
  for (const [name, number] of Object.entries(some)) sums[name] = (sums[name] ?? 0) + number;
}

/** Rows of several names with their counts. */
function table(counts: Readonly<Record<string, number>>): string[] {
  const cells = Object.entries(counts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, number]) => `${name.padEnd(24)}${String(number).padStart(9)}`);
  const height = Math.ceil(cells.length / COLUMNS);
  return Array.from(
    { length: height },
    (_, row) => `  ${cells.filter((_cell, at) => at % height === row).join('    ')}`,
  );
}
