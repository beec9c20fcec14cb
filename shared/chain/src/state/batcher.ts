/**
 * Concurrent questions travel together: those about one block share one `eth_call`, and calls about
 * several blocks one HTTP request.
 *
 * No question waits for others: while little is under way it goes out at once. Only beyond that do questions gather, and
 * leave together when something returns, or after a moment if the node is far away. Each sub-call has its own gas
 * cap, and the caps of one `eth_call` sum up to less than any node allows, so that no question can affect another.
 */
import { whenAllAborted } from '@hindsight/kernel/abort.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { context, type Context } from '@opentelemetry/api';
import type { Block } from './block.ts';
import { NodeError, tooManyWait } from '../rpc/node-error.ts';
import { bytesOf, type MulticallItem, type MulticallResult } from './multicall/multicall.ts';
import type { CallOutcome, PinnedCall, PinnedState, StateRoom } from './pinned-state.ts';
import { gasOf, gasPerCall } from './request-size.ts';
import { inSharedTrace } from './shared-trace.ts';

/** Calls under way for one block before its questions gather. */
const CALLS_PER_BLOCK = 2;
/** Requests under way before calls about different blocks gather. */
const REQUESTS = 6;
/** Longest time in milliseconds that calls gather if no request returns. */
const GATHERED_MS = 2;
/** Even then, no more requests than this. */
const MAX_REQUESTS = 48;
/** Hosted nodes limit batches, and some process them one by one. */
const CALLS_PER_REQUEST = 16;
const ITEMS_PER_CALL = 200;
/**
 * Questions that wait, over all blocks: a second or two of work; more would only wait until they are
 * abandoned.
 */
const MAX_WAITING = 8_192;

interface Question {
  readonly items: readonly MulticallItem[];
  readonly gas: number;
  readonly signal: AbortSignal | undefined;
  /** Its caller's: a question is often sent when another one's answer arrives, in that one's context. */
  readonly context: Context;
  readonly resolve: (results: readonly MulticallResult[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Queue {
  readonly block: Block;
  readonly waiting: Question[];
  underWay: number;
}

/** Questions of one queue that share a call. */
interface Load {
  readonly queue: Queue;
  readonly questions: readonly Question[];
}

/** Joins questions into calls, and calls into requests. */
export class Batcher {
  readonly #state: Pick<PinnedState, 'ask' | 'room'>;
  /** By block hash, in order of arrival; a queue is removed when nothing of it waits or is under way. */
  readonly #queues = new Map<string, Queue>();
  #requests = 0;
  /** Questions in all queues together. */
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(state: Pick<PinnedState, 'ask' | 'room'>) {
    this.#state = state;
  }

  /**
   * Asks the items at the block; the results are in the order of the items.
   * @param signal drops the question while it waits, and a request that carries no other
   * @throws {NodeError} `busy` if too many wait already
   */
  ask(
    block: Block,
    items: readonly MulticallItem[],
    signal?: AbortSignal,
  ): Promise<readonly MulticallResult[]> {
    if (this.#waiting >= MAX_WAITING) return Promise.reject(tooManyWait('to be asked'));
    return new Promise((resolve, reject) => {
      let queue = this.#queues.get(block.hash);
      if (queue === undefined) {
        queue = { block, waiting: [], underWay: 0 };
        this.#queues.set(block.hash, queue);
      }
      queue.waiting.push({ items, gas: gasOf(items), signal, context: context.active(), resolve, reject });
      this.#waiting += 1;
      this.#send();
    });
  }

  #send(): void {
    while (this.#requests < REQUESTS) if (!this.#sendOne()) return;
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#sendLate(), GATHERED_MS);
  }

  /** @returns true if there was anything to send */
  #sendOne(): boolean {
    const loads = this.#takeLoads();
    if (loads.length === 0) return false;
    this.#requests += 1;
    void this.#exchange(loads);
    return true;
  }

  #sendLate(): void {
    this.#timer = undefined;
    if (this.#requests < MAX_REQUESTS && this.#sendOne()) this.#send();
  }

  /** The calls of the next request: one from each of the queues that may send; one too large to share goes alone. */
  #takeLoads(): Load[] {
    const loads: Load[] = [];
    for (const queue of this.#queues.values()) {
      if (queue.underWay >= CALLS_PER_BLOCK || !this.#dropAbandoned(queue)) continue;
      const room = this.#state.room(queue.block);
      const alone = (queue.waiting[0]?.gas ?? 0) > gasPerCall(room);
      if (alone && loads.length > 0) continue;
      queue.underWay += 1;
      const questions = takeQuestions(queue.waiting, room);
      this.#waiting -= questions.length;
      loads.push({ queue, questions });
      if (alone || loads.length === CALLS_PER_REQUEST) break;
    }
    return loads;
  }

  /** Drops the abandoned questions. @returns true if any are left */
  #dropAbandoned(queue: Queue): boolean {
    const { waiting } = queue;
    for (let question = waiting[0]; question?.signal?.aborted; question = waiting[0]) {
      waiting.shift();
      this.#waiting -= 1;
      question.reject(question.signal.reason);
    }
    if (waiting.length === 0 && queue.underWay === 0) this.#queues.delete(queue.block.hash);
    return waiting.length > 0;
  }

  async #exchange(loads: readonly Load[]): Promise<void> {
    const calls = loads.map(({ queue, questions }) => ({
      block: queue.block,
      items: questions.flatMap(({ items }) => items),
    }));
    const all = loads.flatMap(({ questions }) => questions);
    const abandoned = whenAllAborted(all.map(({ signal }) => signal));
    const callers = all.map((question) => question.context);
    const outcomes = await inSharedTrace(callers, () => this.#ask(calls, abandoned.signal));
    const isRefused = (i: number): boolean => loads[i]!.questions.length > 1 && isRefusal(outcomes[i]);
    loads.forEach(({ questions }, i) => {
      if (!isRefused(i)) deliver(questions, outcomes[i]);
    });
    for (const load of loads.filter((_, i) => isRefused(i))) await this.#askEach(load, abandoned.signal);
    abandoned.release();
    this.#requests -= 1;
    for (const { queue } of loads) {
      queue.underWay -= 1;
      if (queue.underWay === 0 && queue.waiting.length === 0) this.#queues.delete(queue.block.hash);
    }
    this.#send();
  }

  /** A node that refuses a call may take smaller ones: each question is repeated in a separate call. */
  async #askEach({ queue: { block }, questions }: Load, signal: AbortSignal | undefined): Promise<void> {
    for (const part of partsOf(questions, CALLS_PER_REQUEST)) {
      const calls = part.map(({ items }) => ({ block, items }));
      const outcomes = await this.#ask(calls, signal);
      part.forEach((question, i) => deliver([question], outcomes[i]));
    }
  }

  async #ask(calls: readonly PinnedCall[], signal: AbortSignal | undefined): Promise<readonly CallOutcome[]> {
    try {
      return await this.#state.ask(calls, signal);
    } catch (error) {
      return calls.map(() => ({ error }));
    }
  }
}

function isRefusal(outcome: CallOutcome | undefined): boolean {
  if (outcome === undefined || !('error' in outcome)) return false;
  return outcome.error instanceof NodeError && outcome.error.kind === 'refused';
}

/** Takes from the queue's front as many questions as fit into one call; at least one. */
function takeQuestions(waiting: Question[], room: StateRoom): Question[] {
  const most = gasPerCall(room);
  let [gas, items, taken, returned] = [0, 0, 0, 0];
  let count = 0;
  for (const question of waiting) {
    const bytes = bytesOf(question.items);
    gas += question.gas;
    items += question.items.length;
    taken += bytes.taken;
    returned += bytes.returned;
    const isTooMuch = gas > most || items > ITEMS_PER_CALL || taken > room.taken || returned > room.returned;
    if (count > 0 && isTooMuch) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

function deliver(questions: readonly Question[], outcome: CallOutcome | undefined): void {
  if (outcome === undefined || 'error' in outcome) {
    for (const question of questions)
      question.reject(outcome?.error ?? new TypeError('a call has no outcome'));
    return;
  }
  let at = 0;
  for (const question of questions)
    question.resolve(outcome.results.slice(at, (at += question.items.length)));
}
