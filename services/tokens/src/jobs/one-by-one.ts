/** Asks questions one at a time, so that one without an answer does not fail the others. */
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { MulticallItem, MulticallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import { retry } from '@hindsight/kernel/retry.ts';

/** Tries of one question, and the pause before the second; it doubles from try to try. */
const TRIES = 4;
const PAUSE_MS = 100;

type Ask = (item: MulticallItem) => Promise<readonly MulticallResult[]>;

/**
 * Creates the asker; one question is in flight at a time, for all callers. A call that the node refuses every time counts
 * as failed. A refused account cannot be a contract's fault: that error is thrown, as is any other of the node.
 */
export function createOneByOne() {
  let last: Promise<unknown> = Promise.resolve();
  return (items: readonly MulticallItem[], ask: Ask): Promise<readonly MulticallResult[]> => {
    const answer = last.then(async () => {
      const results: MulticallResult[] = [];
      for (const item of items) results.push(await askOne(item, ask));
      return results;
    });
    last = answer.catch(() => undefined);
    return answer;
  };
}

async function askOne(item: MulticallItem, ask: Ask): Promise<MulticallResult> {
  try {
    const policy = {
      attempts: TRIES,
      isTransient: mayBeFaultOfContract,
      pauseMs: (attempt: number) => PAUSE_MS * 2 ** attempt,
    };
    const [result] = await retry(() => ask(item), policy);
    if (result === undefined) throw new TypeError('a question has an answer');
    return result;
  } catch (error) {
    if (!mayBeFaultOfContract(error) || item.kind === 'account') throw error;
    return { status: 'failed', size: 0, gasUsed: 0, data: Buffer.alloc(0) };
  }
}

/** True for an error that a contract may have caused; the others are the node's. */
export function mayBeFaultOfContract(error: unknown): boolean {
  return error instanceof NodeError && (error.kind === 'refused' || error.kind === 'reverted');
}
