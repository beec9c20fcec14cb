/** One question on its way from node to node. */
import type { RpcCall, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import type { Member } from './member.ts';
import type { RetryBudget } from '@hindsight/kernel/retry-budget.ts';
import { isAboveEveryHead, isBetter, judge, withoutFalseNulls, type Verdict } from './verdict.ts';

interface AttemptDeps {
  readonly calls: readonly RpcCall[];
  /** True if each call may be answered by another node. */
  readonly independent: boolean;
  /** The remaining nodes, in this order; emptied on the way. */
  readonly queue: Member[];
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly budget: RetryBudget;
  /** Heads below it lag. */
  readonly oldestHead: () => number;
}

/** Calls that one node must answer together, and the best answer so far. */
interface Part {
  readonly calls: readonly RpcCall[];
  best: { verdict: Verdict; outcomes: readonly RpcOutcome[] } | undefined;
}

/** Tries node after node, and keeps the best answers so far. */
export class Attempt {
  readonly #options: AttemptDeps;
  readonly #parts: readonly Part[];
  /** The only candidate, which gets a second attempt: its connection may just have been closed. */
  readonly #only: Member | undefined;
  #failure: NodeError | undefined;
  #asked = 0;

  constructor(options: AttemptDeps) {
    this.#options = options;
    const { calls, independent, queue } = options;
    const parts = independent ? tiedTogether(calls) : [calls];
    this.#parts = parts.map((part) => ({ calls: part, best: undefined }));
    this.#only = queue.length === 1 ? queue[0] : undefined;
  }

  /**
   * Tries one node after the other. @returns the first whole answer; undefined when there is none
   * @throws anything but a NodeError: the caller aborted
   */
  async walk(signal: AbortSignal | undefined): Promise<readonly RpcOutcome[] | undefined> {
    const { queue, deadline, budget } = this.#options;
    let begun = false;
    for (let member = queue.shift(); member; member = queue.shift()) {
      // Going to another node because of an answer is not a retry; repeating after a failure is.
      const inTrouble = this.#asked > 0 && (this.#failure !== undefined || !begun);
      if (inTrouble && !budget.spend()) return undefined;
      const share = (deadline - performance.now()) / (queue.length + 1);
      if (share < 1) return undefined;
      this.#asked += 1;
      begun = true;
      const open = this.#parts.filter(isOpen);
      await this.#ask(member, open, { timeoutMs: share, signal });
      if (!this.#parts.some(isOpen)) return this.#parts.flatMap(({ best }) => best?.outcomes ?? []);
    }
    return undefined;
  }

  async #ask(
    member: Member,
    parts: readonly Part[],
    options: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const { queue, oldestHead } = this.#options;
    try {
      const answered = await member.send(
        parts.flatMap(({ calls }) => calls),
        options,
      );
      let at = 0;
      for (const part of parts) {
        const outcomes = answered.slice(at, (at += part.calls.length));
        const verdict = judge(part.calls, outcomes, oldestHead());
        if (!part.best || isBetter(verdict, part.best.verdict)) part.best = { verdict, outcomes };
      }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.#failure = error;
      if (member === this.#only && this.#asked === 1 && error.kind === 'unreachable') queue.push(member);
    }
  }

  /**
   * The outcome when no node had a complete answer. "No node has the state" only holds once all were tried.
   * @param unasked reason why some nodes were left out
   * @throws {NodeError} when none of the calls has an answer
   */
  settle(label: string, bestHead: number, unasked: NodeError | undefined): readonly RpcOutcome[] {
    const trouble = this.#failure ?? unasked;
    const settled = this.#parts.map((part) => {
      const { calls, best } = part;
      if (!best) return { calls };
      const isWhole =
        !isOpen(part) || best.verdict === 'lagging' || isAboveEveryHead(calls, best.outcomes, bestHead);
      if (trouble && !isWhole) return { calls };
      return { calls, outcomes: withoutFalseNulls(label, calls, best.outcomes, bestHead) };
    });
    const error = trouble ?? new NodeError('timeout', `${label} did not answer in time`);
    if (settled.every(({ outcomes }) => outcomes === undefined)) throw error;
    return settled.flatMap(({ calls, outcomes }) => outcomes ?? calls.map(() => ({ error })));
  }
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
