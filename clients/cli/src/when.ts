import { parseWhen as parse, type When } from '@hindsight/client';
import { UsageError } from './exit-codes.ts';

/** `--at`: a block's number, a block's hash, or a date. Nothing, or `latest`, is the latest block. */
export function parseWhen(text: string | undefined): When {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`--at ${(error as Error).message}`);
  }
}

/** The block of an answer, for people. @param detail its date or hash, where that is said too */
export function blockWords(
  answer: { readonly checked_at_block: number; readonly finalized: boolean },
  detail?: string,
): string {
  const words = [`block ${answer.checked_at_block}`, detail, answer.finalized ? undefined : 'not final yet'];
  return words.filter((each) => each !== undefined).join(', ');
}

/** A date for people: milliseconds of a block are always zero. */
export function shortDate(date: string): string {
  return date.replace('.000Z', 'Z');
}
