/** One question on its way from node to node. */
import type { RpcCall, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import type { Member } from './member.ts';
import type { RetryBudget } from '@hindsight/kernel/retry-budget.ts';
import { isAboveEveryHead, isBetter, judge, withoutFalseNulls, type Verdict } from './verdict.ts';

interface Attempt {
  /** Names the pool. */
  readonly label: string;
  readonly calls: readonly RpcCall[];
  /** True if each call may be answered by another node. */
  readonly independent: boolean;
  /** The remaining nodes, in this order; emptied on the way. */
  readonly queue: Member[];
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly maxBytes: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly budget: RetryBudget;
  readonly bestHead: () => number;
  /** Blocks behind the best head from which on a head lags. */
  readonly maxLag: number;
  /** Reason why some nodes were left out. */
  readonly unasked: () => NodeError | undefined;
}

/** Calls that one node must answer together, and the best answer so far. */
interface Part {
  readonly calls: readonly RpcCall[];
  best: { verdict: Verdict; outcomes: readonly RpcOutcome[] } | undefined;
}

/**
 * Tries one node after the other until all calls have a whole answer; if none has, the best answers are the outcome.
 * @throws {NodeError} when none of the calls has an answer
 * @throws anything but a NodeError: the caller aborted
 */
export async function askInTurn(attempt: Attempt): Promise<readonly RpcOutcome[]> {
  const { calls, independent, queue, deadline, budget, bestHead, maxLag, signal, maxBytes } = attempt;
  const together = independent ? tiedTogether(calls) : [calls];
  const parts = together.map((part): Part => ({ calls: part, best: undefined }));
  // The only candidate gets a second attempt: its connection may just have been closed.
  const only = queue.length === 1 ? queue[0] : undefined;
  let failure: NodeError | undefined;
  for (let member = queue.shift(); member; member = queue.shift()) {
    // Going to another node because of an answer is not a retry; repeating after a failure is, where that one fails too.
    if (failure !== undefined && member.isFailing && !budget.spend()) continue;
    const timeoutMs = (deadline - performance.now()) / (queue.length + 1);
    if (timeoutMs < 1) break;
    const open = parts.filter(isOpen);
    try {
      const asked = open.flatMap((part) => part.calls);
      noteAnswers(open, await member.send(asked, { timeoutMs, signal, maxBytes }), bestHead() - maxLag);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (member === only && failure === undefined && error.kind === 'unreachable') queue.push(member);
      failure = error;
    }
    if (!parts.some(isOpen)) return parts.flatMap(({ best }) => best?.outcomes ?? []);
  }
  return settle(attempt, parts, failure);
}

/** @param oldestHead heads below it lag */
function noteAnswers(parts: readonly Part[], answered: readonly RpcOutcome[], oldestHead: number): void {
  let at = 0;
  for (const part of parts) {
    const outcomes = answered.slice(at, (at += part.calls.length));
    const verdict = judge(part.calls, outcomes, oldestHead);
    if (!part.best || isBetter(verdict, part.best.verdict)) part.best = { verdict, outcomes };
  }
}

/** The outcome when no node had a complete answer. "No node has the state" only holds once all were tried. */
function settle(
  { label, bestHead, unasked }: Attempt,
  parts: readonly Part[],
  failure: NodeError | undefined,
): readonly RpcOutcome[] {
  const head = bestHead();
  const trouble = failure ?? unasked();
  const settled = parts.map((part) => {
    const { calls, best } = part;
    if (!best) return { calls };
    const isWhole =
      !isOpen(part) || best.verdict === 'lagging' || isAboveEveryHead(calls, best.outcomes, head);
    if (trouble && !isWhole) return { calls };
    return { calls, outcomes: withoutFalseNulls(label, calls, best.outcomes, head) };
  });
  const error = trouble ?? new NodeError('timeout', `${label} did not answer in time`);
  if (settled.every(({ outcomes }) => outcomes === undefined)) throw error;
  return settled.flatMap(({ calls, outcomes }) => outcomes ?? calls.map(() => ({ error })));
}

/** The calls of an independent request, each with those that the same node must answer. */
function tiedTogether(calls: readonly RpcCall[]): readonly (readonly RpcCall[])[] {
  const parts: RpcCall[][] = [];
  for (const call of calls) {
    const previous = parts.at(-1);
    if (call.withPrevious === true && previous !== undefined) previous.push(call);
    else parts.push([call]);
  }
  return parts;
}

/** True if another node may have a better answer. */
function isOpen({ best }: Part): boolean {
  return best?.verdict !== 'answered';
}
