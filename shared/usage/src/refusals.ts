import type { RecordDeltas } from './fold.ts';
import type { Refusal } from './ports.ts';

/** Refuses the counts of a record whose month is settled, in the words of their dead letters. */
export function settledRefusals({ project, month, producers }: RecordDeltas): Refusal[] {
  return producers.map(({ producer }) => ({ producer, project, month, reason: 'its month is settled' }));
}
