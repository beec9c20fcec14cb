/** Parses arguments of the command line; a faulty one ends the command with the reason. */
import { InvalidArgumentError } from 'commander';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MAX_MS = 365 * UNITS.d;

/** A duration such as `0`, `90s`, `15m`, `24h`, `7d`, in milliseconds; at most a year. */
export function duration(word: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(word) ?? [];
  const milliseconds = word === '0' ? 0 : Number(count) * UNITS[unit as keyof typeof UNITS];
  if (Number.isNaN(milliseconds) || milliseconds > MAX_MS) {
    throw new InvalidArgumentError('Expected a duration such as 0, 90s, 15m, 24h or 7d, at most 365d.');
  }
  return milliseconds;
}

export function wholeNumber(word: string): number {
  if (!/^[1-9]\d{0,14}$/.test(word)) throw new InvalidArgumentError('Expected a whole number from 1.');
  return Number(word);
}

/** A variable of the shell that is not set is an empty word. @param expected what it should be */
export function notEmpty(expected: string): (word: string) => string {
  return (word) => {
    if (word.trim() === '') throw new InvalidArgumentError(`Expected ${expected}.`);
    return word;
  };
}

/** Consumer groups of the product. A reader in one of them would take its events from it. */
const OWN_GROUPS = /^(?:gateway|metering|portal|hindsight-admin)(?:-|$)/;

const named = notEmpty('a name');

export function consumerGroup(word: string): string {
  if (OWN_GROUPS.test(word))
    throw new InvalidArgumentError(
      'Hindsight itself reads in this group, and would miss what is printed here.',
    );
  return named(word);
}
