/**
 * Questions that wait at the same moment travel together: those about one block share one `eth_call`, and calls about
 * several blocks one HTTP request.
 *
 * Nobody waits for company: while little is under way a question goes out at once. Only beyond that do questions gather,
 * and leave together when something returns, or after a moment where the node is far away. Each sub-call has its own gas cap, and the caps of one `eth_call` sum up to
 * less than any node allows, so that no question can harm the ones beside it.
 */
import { whenAllAborted } from '../abort.ts';
import type { Block } from './block.ts';
import { NodeError } from './node-error.ts';
import type { ProbeItem, ProbeResult } from './probe/probe.ts';

/** One `eth_call`: items at a block. */
export interface PinnedCall {
  readonly block: Block;
  readonly items: readonly ProbeItem[];
}

/** What became of one call of a request. */
export type CallOutcome = { readonly results: readonly ProbeResult[] } | { readonly error: unknown };

/** Sends calls as one request; the outcomes are in the order of the calls. The signal gives all of them up. */
export type AskPinned = (
  calls: readonly PinnedCall[],
  signal: AbortSignal | undefined,
) => Promise<readonly CallOutcome[]>;

/** Calls under way for one block before its questions gather. */
const CALLS_PER_BLOCK = 2;
/** Requests under way before calls about different blocks gather. */
const REQUESTS = 6;
/** How long calls gather at most where no request returns. */
const GATHERED_MS = 2;
/** Then, too, no more requests than this. */
const MOST_REQUESTS = 48;
/** Hosted nodes bound batches, and some compute them one by one. */
const CALLS_PER_REQUEST = 16;
/** Nodes grant an eth_call 30 million gas (anvil: a block's worth) or more; some of it pays for what is returned. */
const GAS_PER_CALL = 22_000_000;
const ITEMS_PER_CALL = 200;
/** Questions that wait, about whatever blocks: a second or two of work; beyond it they would only wait to be given up. */
const MOST_WAITING = 8_192;
const RETRY_AFTER_MS = 1_000;

interface Question {
  readonly items: readonly ProbeItem[];
  readonly gas: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (results: readonly ProbeResult[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Lane {
  readonly block: Block;
  readonly waiting: Question[];
  underWay: number;
}

/** Questions of one lane that share a call. */
interface Load {
  readonly lane: Lane;
  readonly questions: readonly Question[];
}

/** Joins questions into calls, and calls into requests. */
export class ProbeBatcher {
  readonly #ask: AskPinned;
  /** In the order in which they came to wait; a lane leaves when nothing of it waits or is under way. */
  readonly #lanes = new Map<string, Lane>();
  #requests = 0;
  /** Questions in all lanes. */
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ask: AskPinned) {
    this.#ask = ask;
  }

  /**
   * Asks the items at the block; the results are in the order of the items.
   * @param signal drops the question where it waits, and a request that carries no other
   * @throws {NodeError} `busy` where too many wait already
   */
  ask(block: Block, items: readonly ProbeItem[], signal?: AbortSignal): Promise<readonly ProbeResult[]> {
    if (this.#waiting >= MOST_WAITING) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      let lane = this.#lanes.get(block.hash);
      if (lane === undefined) {
        lane = { block, waiting: [], underWay: 0 };
        this.#lanes.set(block.hash, lane);
      }
      lane.waiting.push({ items, gas: gasOf(items), signal, resolve, reject });
      this.#waiting += 1;
      this.#send();
    });
  }

  #send(): void {
    while (this.#requests < REQUESTS) if (!this.#sendOne()) return;
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#sendLate(), GATHERED_MS);
  }

  /** @returns whether there was anything to send */
  #sendOne(): boolean {
    const loads = this.#takeLoads();
    if (loads.length === 0) return false;
    this.#requests += 1;
    void this.#exchange(loads);
    return true;
  }

  #sendLate(): void {
    this.#timer = undefined;
    if (this.#requests < MOST_REQUESTS && this.#sendOne()) this.#send();
  }

  /** The calls of the next request: one from each of the lanes that may send; one that is to be alone goes alone. */
  #takeLoads(): Load[] {
    const loads: Load[] = [];
    for (const lane of this.#lanes.values()) {
      if (lane.underWay >= CALLS_PER_BLOCK || !this.#dropAbandoned(lane)) continue;
      const alone = (lane.waiting[0]?.gas ?? 0) > GAS_PER_CALL;
      if (alone && loads.length > 0) continue;
      lane.underWay += 1;
      const questions = takeQuestions(lane.waiting);
      this.#waiting -= questions.length;
      loads.push({ lane, questions });
      if (alone || loads.length === CALLS_PER_REQUEST) break;
    }
    return loads;
  }

  /** Drops the questions that nobody waits for any more. @returns whether any are left */
  #dropAbandoned(lane: Lane): boolean {
    const { waiting } = lane;
    for (let question = waiting[0]; question?.signal?.aborted; question = waiting[0]) {
      waiting.shift();
      this.#waiting -= 1;
      question.reject(question.signal.reason);
    }
    if (waiting.length === 0 && lane.underWay === 0) this.#lanes.delete(lane.block.hash);
    return waiting.length > 0;
  }

  async #exchange(loads: readonly Load[]): Promise<void> {
    const calls = loads.map(({ lane, questions }) => ({
      block: lane.block,
      items: questions.flatMap(({ items }) => items),
    }));
    const patience = whenAllAborted(loads.flatMap(({ questions }) => questions.map(({ signal }) => signal)));
    let outcomes: readonly CallOutcome[];
    try {
      outcomes = await this.#ask(calls, patience.signal);
    } catch (error) {
      outcomes = loads.map(() => ({ error }));
    }
    patience.release();
    this.#requests -= 1;
    loads.forEach(({ lane, questions }, i) => {
      lane.underWay -= 1;
      if (lane.underWay === 0 && lane.waiting.length === 0) this.#lanes.delete(lane.block.hash);
      settle(questions, outcomes[i]);
    });
    this.#send();
  }
}

function tooMany(): NodeError {
  return new NodeError('busy', 'too many questions wait to be asked', { retryAfterMs: RETRY_AFTER_MS });
}

function gasOf(items: readonly ProbeItem[]): number {
  return items.reduce((sum, item) => sum + (item.kind === 'call' ? item.gas : 0), 0);
}

/** Takes from the queue's front as many questions as fit into one call; at least one. */
function takeQuestions(waiting: Question[]): Question[] {
  let gas = 0;
  let items = 0;
  let count = 0;
  for (const question of waiting) {
    gas += question.gas;
    items += question.items.length;
    if (count > 0 && (gas > GAS_PER_CALL || items > ITEMS_PER_CALL)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

function settle(questions: readonly Question[], outcome: CallOutcome | undefined): void {
  if (outcome === undefined || 'error' in outcome) {
    for (const question of questions)
      question.reject(outcome?.error ?? new TypeError('a call has no outcome'));
    return;
  }
  let at = 0;
  for (const question of questions)
    question.resolve(outcome.results.slice(at, (at += question.items.length)));
}
