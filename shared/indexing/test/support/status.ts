import type { IndexStatus } from '../../src/progress.ts';

/** A report of an index that is catching up. */
export const STATUS: IndexStatus = {
  state: 'indexing',
  detail: '',
  finalized: 9,
  blocksPerSecond: 1,
  logsPerSecond: 2,
  at: 3,
};
