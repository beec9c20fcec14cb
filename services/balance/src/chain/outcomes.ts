/** The outcomes of questions about state, as readings need them. */
import type { Block } from '@hindsight/chain/state/block.ts';
import type { MulticallItem, MulticallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import type { CallOutcome } from '@hindsight/chain/state/pinned-state.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';

/** The results of questions that are one answer together. @throws {unknown} the first error: a part of them is no answer */
export function resultsOf(outcomes: readonly CallOutcome[]): readonly (readonly MulticallResult[])[] {
  return outcomes.map((outcome) => {
    if ('error' in outcome) throw outcome.error;
    return outcome.results;
  });
}

/** Reads items at each of the blocks, several blocks a request. @throws {unknown} as `resultsOf` */
export async function readAtEach(
  reader: ChainReader,
  blocks: readonly Block[],
  itemsAt: (block: Block) => readonly MulticallItem[],
  signal: AbortSignal,
): Promise<readonly (readonly MulticallResult[])[]> {
  const questions = blocks.map((block) => ({ block, items: itemsAt(block) }));
  return resultsOf(await reader.readEach(questions, signal));
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
