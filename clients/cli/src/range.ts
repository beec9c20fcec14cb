/** Options of commands about a range of blocks or dates. */
import { note, type Context } from './context.ts';
import { UsageError } from './exit-codes.ts';

export const STEPS = ['1h', '6h', '1d', '1w', '1M'] as const;
/** A step of time, or a number of blocks. */
export type Step = (typeof STEPS)[number] | number;

/** An end of a range: a block's number, or a date. */
export function parseEnd(text: string): number | string {
  const digits = text.replaceAll(/[,_]/g, '');
  return /^\d{5,15}$/.test(digits) ? Number(digits) : text;
}

/** Says where a range ends whose `--to` is a day alone: a tax year up to 31 December would leave that day out. */
export function noteDayAlone(context: Context, to: string | undefined): void {
  if (to !== undefined && /^\d{4}-\d\d-\d\d$/.test(to))
    note(context, `--to ${to} is 00:00 UTC: the range ends before that day`);
}

/** Says that the end of a range may still change. */
export function noteFinality(context: Context, { finalized }: { readonly finalized: boolean }): void {
  if (!finalized) note(context, 'not final yet: a reorganisation may change the last rows');
}

/** `--step`. @throws {UsageError} */
export function parseStep(text: string): Step {
  const known = STEPS.find((name) => name === text);
  if (known !== undefined || /^\d{1,9}$/.test(text)) return known ?? Number(text);
  throw new UsageError(`--step ${text}: expected ${STEPS.join(', ')}, or a number of blocks`);
}

/** A whole number. @throws {UsageError} */
export function wholeNumber(option: string, text: string, least = 0): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`${option} ${text}: expected a whole number${least === 0 ? '' : ` from ${least} on`}`);
}

export interface PointOptions {
  readonly from: string;
  readonly to?: string;
  readonly step?: string;
  readonly points?: string;
}

/** The number of points where neither `--step` nor `--points` is given. */
export const DEFAULT_POINTS = 60;

/** The ends of a series, and the distance or number of its points. @throws {UsageError} */
export function parsePoints({ from, to, step, points }: PointOptions): {
  from: number | string;
  to?: number | string;
  step?: Step;
  points?: number;
} {
  if (step !== undefined && points !== undefined) throw new UsageError('give one of --step and --points');
  const ends = { from: parseEnd(from), ...(to === undefined ? {} : { to: parseEnd(to) }) };
  if (step !== undefined) return { ...ends, step: parseStep(step) };
  return { ...ends, points: points === undefined ? DEFAULT_POINTS : wholeNumber('--points', points) };
}
