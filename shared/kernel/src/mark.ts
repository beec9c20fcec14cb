import { createHash } from 'node:crypto';

/** A short hash of a question, the same on all of its pages, or of a choice of candidates. */
export function markOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
