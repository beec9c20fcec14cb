import { createHash } from 'node:crypto';

/** Tells what it is made of from others: a question, which is the same for all of its pages, or a choice of candidates. */
export function markOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
