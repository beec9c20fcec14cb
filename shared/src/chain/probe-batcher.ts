/**
 * Questions about the same block that wait at the same moment share one `eth_call`.
 *
 * Nobody waits for company: a block's first questions go out at once. Only while enough calls for that block are under
 * way do further questions gather, and leave together when one returns. Each sub-call has its own gas cap, and the
 * caps of one `eth_call` sum up to less than any node allows, so that no question can harm the ones beside it.
 */
import type { Block } from './block.ts';
import type { ProbeItem, ProbeResult } from './probe/probe.ts';

/** Sends items as one `eth_call` pinned to a block. */
export type AskPinned = (block: Block, items: readonly ProbeItem[]) => Promise<readonly ProbeResult[]>;

/** Calls under way for one block before questions gather. */
const CALLS_PER_BLOCK = 2;
/** Nodes grant an eth_call 30 million gas (anvil: a block's worth) or more; some of it pays for what is returned. */
const GAS_PER_CALL = 22_000_000;
const ITEMS_PER_CALL = 200;

interface Question {
  readonly items: readonly ProbeItem[];
  readonly resolve: (results: readonly ProbeResult[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Lane {
  readonly block: Block;
  readonly waiting: Question[];
  underWay: number;
}

/** Joins questions into calls. */
export class ProbeBatcher {
  readonly #ask: AskPinned;
  readonly #lanes = new Map<string, Lane>();

  constructor(ask: AskPinned) {
    this.#ask = ask;
  }

  /** Asks the items at the block; the results are in the order of the items. */
  ask(block: Block, items: readonly ProbeItem[]): Promise<readonly ProbeResult[]> {
    return new Promise((resolve, reject) => {
      const lane = this.#lane(block);
      lane.waiting.push({ items, resolve, reject });
      this.#send(lane);
    });
  }

  #lane(block: Block): Lane {
    let lane = this.#lanes.get(block.hash);
    if (lane === undefined) {
      lane = { block, waiting: [], underWay: 0 };
      this.#lanes.set(block.hash, lane);
    }
    return lane;
  }

  #send(lane: Lane): void {
    while (lane.waiting.length > 0 && lane.underWay < CALLS_PER_BLOCK) {
      lane.underWay += 1;
      void this.#sendTogether(lane, takeLoad(lane.waiting)).finally(() => {
        lane.underWay -= 1;
        if (lane.waiting.length > 0) this.#send(lane);
        else if (lane.underWay === 0) this.#lanes.delete(lane.block.hash);
      });
    }
  }

  async #sendTogether(lane: Lane, questions: readonly Question[]): Promise<void> {
    const items = questions.flatMap((question) => question.items);
    try {
      const results = await this.#ask(lane.block, items);
      let at = 0;
      for (const question of questions) {
        question.resolve(results.slice(at, (at += question.items.length)));
      }
    } catch (error) {
      for (const question of questions) question.reject(error);
    }
  }
}

/** Takes from the queue's front as many questions as fit into one call; at least one. */
function takeLoad(waiting: Question[]): Question[] {
  let gas = 0;
  let items = 0;
  let count = 0;
  for (const question of waiting) {
    gas += question.items.reduce((sum, item) => sum + (item.kind === 'call' ? item.gas : 0), 0);
    items += question.items.length;
    if (count > 0 && (gas > GAS_PER_CALL || items > ITEMS_PER_CALL)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
