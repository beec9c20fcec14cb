/** Thresholds: shares of the monthly limit, in per cent. */

import { Fault } from '@hindsight/kernel/errors.ts';

/** Those of a project that has not chosen any. */
export const DEFAULT_THRESHOLDS: readonly number[] = [80, 100];

/** A project can have this many. */
const MAX_THRESHOLDS = 5;

/** Rising, each once. @throws {InvalidThresholds} */
export function validThresholds(thresholds: readonly number[]): number[] {
  if (!thresholds.every((percent) => Number.isInteger(percent) && percent >= 1 && percent <= 100))
    throw new InvalidThresholds('thresholds: enter whole percentages from 1 to 100');
  const valid = [...new Set(thresholds)].sort((a, b) => a - b);
  if (valid.length <= MAX_THRESHOLDS) return valid;
  throw new InvalidThresholds(`thresholds: ${valid.length} given; a project can have ${MAX_THRESHOLDS}`);
}

/** Reads a list such as `50, 80,100`; an empty one is no thresholds. @throws {InvalidThresholds} */
export function parseThresholds(text: string): number[] {
  const words = text.split(/[\s,%]+/).filter((word) => word !== '');
  return validThresholds(words.map((word) => (/^\d{1,3}$/.test(word) ? Number(word) : NaN)));
}

/** The thresholds in words, such as `at 50%, 80%`. */
export function describeThresholds(thresholds: readonly number[]): string {
  return thresholds.length === 0 ? 'none' : `at ${thresholds.map((percent) => `${percent}%`).join(', ')}`;
}

/** The units from which on a threshold is reached. */
export function unitsAt(threshold: number, limit: number): number {
  return Math.ceil((limit * threshold) / 100);
}

/** Not thresholds; `message` is fit to be shown. */
export class InvalidThresholds extends Fault {}
