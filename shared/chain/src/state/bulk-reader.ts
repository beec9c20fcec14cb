/**
 * Many questions of one caller, in as few calls and requests as possible: those about one block share calls.
 *
 * Their gas caps sum up to more than a node grants, since only this caller's questions share the call. An
 * item is only tried if its whole cap is left (see multicall.yul), so that each is answered as if it were
 * alone; the others are repeated in halves of the call, down to one question a call.
 */
import { Bulkhead } from '@hindsight/kernel/bulkhead.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { NodeError, tooManyWait } from '../rpc/node-error.ts';
import { halveCall, packCalls, type BulkCall, type BulkQuestion } from './bulk-packing.ts';
import { CallSize } from './call-size.ts';
import type { MulticallResult } from './multicall/multicall.ts';
import type { CallOutcome, PinnedCall, PinnedState } from './pinned-state.ts';
import { ANSWERED_PER_REQUEST, CALLS_PER_REQUEST } from './request-size.ts';

/** Requests of one caller, and of all callers, that are under way at once; the rest of a node is for single questions. */
const REQUESTS_PER_CALLER = 4;
const REQUESTS = 6;
const MAX_WAIT_MS = 60_000;
/** A call that starved although its items burned less than this, or than half its gas, was granted less than most are. */
const LITTLE_GAS = 8_000_000;

/** Asks many questions at once. */
export class BulkReader {
  readonly #state: Pick<PinnedState, 'ask' | 'isPlain' | 'room'>;
  readonly #size: CallSize;
  readonly #requests = new Bulkhead({ concurrency: REQUESTS, queue: Infinity }, () =>
    tooManyWait('many questions'),
  );

  constructor(state: Pick<PinnedState, 'ask' | 'isPlain' | 'room'>, clock: Clock) {
    this.#state = state;
    this.#size = new CallSize(clock);
  }

  /**
   * Asks all questions, each at its block.
   * @returns the outcomes in the order of the questions
   * @throws the signal's reason once it is aborted
   */
  async ask(questions: readonly PinnedCall[], signal?: AbortSignal): Promise<readonly CallOutcome[]> {
    const asked = questions.map(({ block, items }, at) => ({ block, items, at }));
    const outcomes: CallOutcome[] = [];
    let calls = [...Map.groupBy(asked, ({ block }) => block.hash).values()].flatMap((about) => {
      const room = this.#state.room(about[0]!.block);
      // Plain calls share no gas: each question is a separate call.
      if (this.#isPlain(about[0])) return about.flatMap((one) => packCalls([one], room, 1));
      return packCalls(about, room, this.#size.part);
    });
    while (calls.length > 0) {
      const again: BulkCall[] = [];
      const settle = (call: BulkCall, outcome: CallOutcome): void => {
        again.push(...this.#settle(call, outcome, outcomes));
      };
      await this.#sendAll(this.#toRequests(calls), settle, signal);
      calls = again;
    }
    return outcomes;
  }

  #toRequests(calls: readonly BulkCall[]): BulkCall[][] {
    const requests: BulkCall[][] = [];
    let [work, count] = [Infinity, 0];
    for (const call of calls) {
      // A call that had no answer in time gets a separate request.
      const ownWork = call.late ? ANSWERED_PER_REQUEST : call.size * call.room.returned;
      const ownCount = this.#countOf(call);
      work += ownWork;
      count += ownCount;
      if (work <= ANSWERED_PER_REQUEST && count <= CALLS_PER_REQUEST) {
        requests.at(-1)?.push(call);
      } else {
        requests.push([call]);
        [work, count] = [ownWork, ownCount];
      }
    }
    return requests;
  }

  /** Its number of JSON-RPC calls; before Byzantium two for some items. */
  #countOf({ questions: [first] }: BulkCall): number {
    return this.#isPlain(first) ? 2 * (first?.items.length ?? 0) : 1;
  }

  #isPlain(question: BulkQuestion | undefined): boolean {
    return question !== undefined && this.#state.isPlain(question.block.number);
  }

  async #sendAll(
    requests: readonly (readonly BulkCall[])[],
    settle: (call: BulkCall, outcome: CallOutcome) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const waiting = requests.values();
    const sendNext = async (): Promise<void> => {
      for (const calls of waiting) {
        const outcomes = await this.#send(calls, signal);
        calls.forEach((call, i) => settle(call, outcomes[i] ?? { error: new TypeError('no outcome') }));
      }
    };
    await Promise.all(Array.from({ length: REQUESTS_PER_CALLER }, sendNext));
  }

  async #send(calls: readonly BulkCall[], signal: AbortSignal | undefined): Promise<readonly CallOutcome[]> {
    signal?.throwIfAborted();
    const pinned = calls.map(({ block, questions }) => ({
      block,
      items: questions.flatMap(({ items }) => items),
      mayStarve: questions.length > 1,
    }));
    try {
      await this.#requests.enter(MAX_WAIT_MS, signal);
      try {
        // To pack many questions and to write them are turns of their own.
        await nextTurn();
        return await this.#state.ask(pinned, signal);
      } finally {
        this.#requests.leave();
      }
    } catch (error) {
      signal?.throwIfAborted();
      return calls.map(() => ({ error }));
    }
  }

  /** Notes the outcomes of a call's questions. @returns calls that repeat the others */
  #settle(call: BulkCall, outcome: CallOutcome, outcomes: CallOutcome[]): readonly BulkCall[] {
    const { questions, part, room } = call;
    if ('error' in outcome) {
      if (questions.length > 1 && this.#isTooLarge(call, outcome.error)) return halveCall(call, questions);
      if (!call.late && isLate(outcome.error)) return halveCall(call, questions, true);
      for (const { at } of questions) outcomes[at] = outcome;
      return [];
    }
    let next = 0;
    const starved = questions.filter(({ at, items }) => {
      const results = outcome.results.slice(next, (next += items.length));
      outcomes[at] = { results };
      return results.some(isStarved);
    });
    const isLittle = burned(outcome.results) < Math.min(LITTLE_GAS, room.gas / 2);
    if (starved.length > 0 && isLittle) this.#size.refuse(part);
    return halveCall(call, starved);
  }

  /** Notes, and returns true, if the node may have refused the call for its size. */
  #isTooLarge({ part }: BulkCall, error: unknown): boolean {
    if (!(error instanceof NodeError) || !this.#size.isDivisible(part)) return false;
    // No program fails by itself, but one can run out of gas, or its answer can be too large: that is
    // refused, too.
    const refused = error.kind === 'refused';
    // The node aborted the call.
    const aborted = error.kind === 'timeout' && error.details.code !== undefined;
    if (refused || aborted) this.#size.refuse(part);
    return refused || aborted;
  }
}

function isStarved({ status }: MulticallResult): boolean {
  return status === 'starved';
}

function isLate(error: unknown): boolean {
  return error instanceof NodeError && error.kind === 'timeout';
}

function burned(results: readonly MulticallResult[]): number {
  return results.reduce((sum, result) => sum + ('gasUsed' in result ? result.gasUsed : 0), 0);
}
