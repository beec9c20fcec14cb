/** The outcomes of questions about state, as readings need them. */
import type { Block } from '@hindsight/chain/state/block.ts';
import type {
  AccountResult,
  MulticallItem,
  MulticallResult,
} from '@hindsight/chain/state/multicall/multicall.ts';
import type { CallOutcome, Failed } from '@hindsight/chain/state/pinned-state.ts';
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

/**
 * Asks in one request, or one by one where the answers together are too much for a node.
 * @throws the signal's reason once it is aborted
 */
export async function askTogether<Question, Answer>(
  questions: readonly Question[],
  ask: (some: readonly Question[]) => Promise<readonly Answer[]>,
  signal: AbortSignal,
): Promise<readonly (Answer | Failed)[]> {
  if (questions.length === 0) return [];
  try {
    return await ask(questions);
  } catch (error) {
    signal.throwIfAborted();
    if (questions.length === 1) return [{ error }];
  }
  const outcomes: (Answer | Failed)[] = [];
  for (const question of questions) outcomes.push(...(await askTogether([question], ask, signal)));
  return outcomes;
}

/** Reads the answer to a question about wei. @throws {TypeError} for any other answer */
export function weiIn(result: MulticallResult | undefined): bigint {
  if (result?.status !== 'wei') throw new TypeError('an amount of wei was asked for');
  return result.wei;
}

/** Reads the answer to a question about an account. @throws {TypeError} for any other answer */
export function accountIn(result: MulticallResult | undefined): AccountResult {
  if (result?.status !== 'account') throw new TypeError('an account was asked for');
  return result;
}

export function lacksCode(result: MulticallResult | undefined): boolean {
  return result?.status === 'account' && result.codeSize === 0;
}
