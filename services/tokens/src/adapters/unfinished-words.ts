import type { Checkpoint } from '../ports.ts';

/**
 * Refuses a change while tokens of an older version wait for `addWords`: it would count them as done.
 * @throws {Error} if there are any
 */
export function refuseUnfinished(base: Checkpoint | null): void {
  if (base !== null && base.words < base.count)
    throw new Error(`${base.count - base.words} tokens are not listed by the words in their names yet`);
}
