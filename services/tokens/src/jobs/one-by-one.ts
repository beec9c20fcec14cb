/** Asks questions one at a time, so that one without an answer does not fail the others. */
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { MulticallItem, MulticallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import { retry } from '@hindsight/kernel/retry.ts';

/** Tries of one question, and the pause before the second; it doubles from try to try. */
const TRIES = 4;
const PAUSE_MS = 100;

export type OneByOne = (
  items: readonly MulticallItem[],
  ask: (item: MulticallItem) => Promise<readonly MulticallResult[]>,
) => Promise<readonly MulticallResult[]>;

/**
 * Creates the asker; one question is in flight at a time, for all callers. A call that the node refuses every time counts
 * as failed. A refused account cannot be a contract's fault: that error is thrown, as is any other of the node.
 */
export function createOneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  return (items, ask) => {
    const answer = last.then(async () => {
      const results: MulticallResult[] = [];
      for (const item of items) results.push(await askOne(item, ask));
      return results;
    });
    last = answer.catch(() => undefined);
    return answer;
  };
}

async function askOne(
  item: MulticallItem,
  ask: (item: MulticallItem) => Promise<readonly MulticallResult[]>,
): Promise<MulticallResult> {
  try {
    const policy = {
      attempts: TRIES,
      isTransient: isRefusal,
      pauseMs: (attempt: number) => PAUSE_MS * 2 ** attempt,
    };
    const [result] = await retry(() => ask(item), policy);
    if (result === undefined) throw new TypeError('a question has an answer');
    return result;
  } catch (error) {
    if (!isRefusal(error) || item.kind === 'account') throw error;
    return { status: 'failed', size: 0, gasUsed: 0, data: Buffer.alloc(0) };
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof NodeError && (error.kind === 'refused' || error.kind === 'reverted');
}
