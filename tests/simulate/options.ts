/** Options of the command, and of its child processes. */
import { parseArgs } from 'node:util';

export interface Options {
  readonly seed: number;
  /** The most seeds; Infinity if minutes are given. */
  readonly seeds: number;
  /** Real minutes after which no further seed begins. */
  readonly minutes: number;
  /** Processes that run seeds at the same time. */
  readonly jobs: number;
  /** Simulated hours of each seed, and minutes of them in which clients are busy. */
  readonly hours: number;
  readonly busy: number;
  /** Planted faults, each looked for in turn, from a seed of its own if it names one. */
  readonly plants: readonly { readonly plant: string; readonly seed: number }[];
  /** Prints each seed's result, and nothing else. */
  readonly json: boolean;
}

/** Throws for an unknown option and for a number that is not above 0. */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string' },
      minutes: { type: 'string' },
      jobs: { type: 'string', default: '1' },
      hours: { type: 'string', default: '6' },
      busy: { type: 'string', default: '3' },
      plant: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
  });
  const above0 = (name: string, value: number): number => {
    if (!(value > 0)) throw new Error(`--${name} is a number above 0`);
    return value;
  };
  const number = (name: 'seed' | 'jobs' | 'hours' | 'busy' | 'seeds' | 'minutes', unset = NaN): number =>
    above0(name, values[name] === undefined ? unset : Number(values[name]));
  const seed = number('seed');
  return {
    seed,
    seeds: number('seeds', values.minutes === undefined ? 1 : Infinity),
    minutes: number('minutes', Infinity),
    jobs: number('jobs'),
    hours: number('hours'),
    busy: number('busy'),
    plants: values.plant.map((words) => {
      const [plant = '', own = seed] = words.split('@');
      return { plant, seed: above0('plant NAME@SEED', Number(own)) };
    }),
    json: values.json,
  };
}

/** The seeds of a command, with one planted fault or none. */
export interface Run extends Pick<Options, 'seed' | 'seeds' | 'minutes' | 'hours' | 'busy'> {
  readonly plant: string | undefined;
}

/** The words that make a command run the same. */
export function wordsOf({ seed, seeds, hours, busy, plant }: Omit<Run, 'minutes'>): string[] {
  const numbers = Object.entries({ seed, seeds, hours, busy });
  const words = numbers.flatMap(([name, value]) => [`--${name}`, String(value)]);
  return plant === undefined ? words : [...words, '--plant', plant];
}
