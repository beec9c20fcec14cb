/** The outcomes of questions about state, as readings need them. */
import type { MulticallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import type { CallOutcome } from '@hindsight/chain/state/pinned-state.ts';

/** The results of questions that are one answer together. @throws {unknown} the first error: a part of them is no answer */
export function resultsOf(outcomes: readonly CallOutcome[]): readonly (readonly MulticallResult[])[] {
  return outcomes.map((outcome) => {
    if ('error' in outcome) throw outcome.error;
    return outcome.results;
  });
}

/** Reads the answer to a question about wei. @throws {TypeError} for any other answer */
export function weiIn(result: MulticallResult | undefined): bigint {
  if (result?.status !== 'wei') throw new TypeError('an amount of wei was asked for');
  return result.wei;
}

/** True for an account without code. */
export function lacksCode(result: MulticallResult | undefined): boolean {
  return result?.status === 'account' && result.codeSize === 0;
}
