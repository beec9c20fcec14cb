/**
 * Guards and bounds, each with a fault that takes it out and the suites that must notice. A fault whose text is no
 * longer in its file fails `tools/test/mutate.test.ts`: the list moves with the code.
 */

/** One planted fault. */
export interface Fault {
  /** Names the promise that breaks, in a few words. */
  readonly promise: string;
  /** From the repository's root. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** Paths, or parts of paths, as `npm test` takes them. At least one must fail. */
  readonly suites: readonly string[];
}

export const FAULTS: readonly Fault[] = [
  {
    promise: 'a unit pays for 100 rows',
    file: 'services/gateway/src/domain/units.ts',
    from: 'ROWS_PER_UNIT = 100',
    to: 'ROWS_PER_UNIT = 101',
    suites: ['services/gateway/src/domain', 'services/gateway/test/units'],
  },
];
