/** The checkpoints that changes lead to, the same in every store. */
import { CheckpointConflict, refuseGap } from '@hindsight/indexing/position.ts';
import type { Checkpoint, IndexedRange } from '../ports.ts';

/** Compares the stored checkpoint with the one that a change is based on. @throws {CheckpointConflict} */
export function expectSame(base: Checkpoint | null, found: Checkpoint | null): void {
  if (found?.version !== base?.version || found?.number !== base?.number) throw new CheckpointConflict();
}

/** The checkpoint after a range. @throws {Error} where it does not follow, or `refuseUnfinished` does */
export function afterRange(base: Checkpoint | null, { from, to, hash, tokens }: IndexedRange): Checkpoint {
  refuseGap(base, from);
  refuseUnfinished(base);
  const count = (base?.count ?? 0) + tokens.length;
  const version = (base?.version ?? 0) + (tokens.length > 0 ? 1 : 0);
  return { from: base?.from ?? from, number: to, hash, count, version, words: count };
}

/** The checkpoint after later looks. @throws {Error} as `refuseUnfinished` */
export function afterLooks(base: Checkpoint): Checkpoint {
  refuseUnfinished(base);
  return { ...base, version: base.version + 1 };
}

/** The checkpoint once the next tokens of an older version, at most `limit`, are listed by the words in their names. */
export function afterWords(base: Checkpoint, limit: number): Checkpoint {
  return { ...base, version: base.version + 1, words: Math.min(base.words + limit, base.count) };
}

/**
 * Refuses a change while tokens of an older version wait for `addWords`: it would count them as done.
 * @throws {Error} if there are any
 */
function refuseUnfinished(base: Checkpoint | null): void {
  if (base !== null && base.words < base.count)
    throw new Error(`${base.count - base.words} tokens are not listed by the words in their names yet`);
}
