/** One question on its way from node to node. */
import type { RpcCall, RpcOutcome } from '../node.ts';
import { NodeError } from '../node-error.ts';
import type { Member } from './member.ts';
import type { RetryBudget } from './retry-budget.ts';
import { isAboveEveryHead, isBetter, judge, withoutFalseNulls, type Verdict } from './verdict.ts';

interface RoundOptions {
  readonly calls: readonly RpcCall[];
  /** Who is to be asked, in this order; emptied on the way. */
  readonly queue: Member[];
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly budget: RetryBudget;
  /** Heads below it lag. */
  readonly oldestHead: () => number;
}

/** Keeps what has been answered so far. */
export class Round {
  readonly #options: RoundOptions;
  /** The only node there is to ask; its connection may just have been closed, so it is asked once more. */
  readonly #only: Member | undefined;
  #best: { verdict: Verdict; outcomes: readonly RpcOutcome[] } | undefined;
  #failure: NodeError | undefined;
  #attempts = 0;

  constructor(options: RoundOptions) {
    this.#options = options;
    this.#only = options.queue.length === 1 ? options.queue[0] : undefined;
  }

  /**
   * Asks one node after the other. @returns the first whole answer; undefined when there is none
   * @throws whatever is no NodeError: the caller gave up
   */
  async walk(signal: AbortSignal | undefined): Promise<readonly RpcOutcome[] | undefined> {
    const { queue, deadline, budget } = this.#options;
    let begun = false;
    for (let member = queue.shift(); member; member = queue.shift()) {
      // Asking elsewhere because of what a node answered is no retry; asking again because of trouble is one.
      const inTrouble = this.#attempts > 0 && (this.#failure !== undefined || !begun);
      if (inTrouble && !budget.spend()) return undefined;
      const share = (deadline - performance.now()) / (queue.length + 1);
      if (share < 1) return undefined;
      this.#attempts += 1;
      begun = true;
      const answer = await this.#ask(member, share, signal);
      if (answer) return answer;
    }
    return undefined;
  }

  async #ask(
    member: Member,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly RpcOutcome[] | undefined> {
    const { calls, queue, oldestHead } = this.#options;
    try {
      const outcomes = await member.send(calls, { signal, timeoutMs });
      const verdict = judge(calls, outcomes, oldestHead());
      if (verdict === 'answered') return outcomes;
      if (!this.#best || isBetter(verdict, this.#best.verdict)) this.#best = { verdict, outcomes };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.#failure = error;
      if (member === this.#only && this.#attempts === 1 && error.kind === 'unreachable') queue.push(member);
    }
    return undefined;
  }

  /**
   * What to make of it when no node had a whole answer. That no node has the state is only true once all were asked.
   * @param unasked why some nodes were not asked at all
   * @throws {NodeError}
   */
  settle(label: string, bestHead: number, unasked: NodeError | undefined): readonly RpcOutcome[] {
    const { calls } = this.#options;
    const trouble = this.#failure ?? unasked;
    if (!this.#best) {
      throw trouble ?? new NodeError('timeout', `${label} did not answer in time`);
    }
    const { verdict, outcomes } = this.#best;
    const isWhole = verdict === 'lagging' || isAboveEveryHead(calls, outcomes, bestHead);
    if (trouble && !isWhole) throw trouble;
    return withoutFalseNulls(label, calls, outcomes, bestHead);
  }
}
