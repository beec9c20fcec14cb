/** Options of commands about a range of blocks or dates. */
import { UsageError } from './exit-codes.ts';

/** The steps of time. */
export const STEPS = ['1h', '6h', '1d', '1w', '1M'] as const;
/** A step of time, or a number of blocks. */
export type Step = (typeof STEPS)[number] | number;

/** An end of a range: a block's number, or a date. */
export function parseEnd(text: string): number | string {
  const digits = text.replaceAll(/[,_]/g, '');
  return /^\d{5,15}$/.test(digits) ? Number(digits) : text;
}

/** `--step`. @throws {UsageError} */
export function parseStep(text: string): Step {
  return STEPS.find((name) => name === text) ?? wholeNumber('--step', text);
}

/** A whole number. @throws {UsageError} */
export function wholeNumber(option: string, text: string, least = 0): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`${option} ${text}: expected a whole number${least === 0 ? '' : ` from ${least} on`}`);
}
