/** Finds the block of a moment: the last one at or before it. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { Anchors } from './anchors.ts';
import type { Block } from '../state/block.ts';
import { guessHeights, type Bracket } from './date-guess.ts';
import { readHeaders, type HeaderTag } from '../state/headers.ts';
import type { KnownBlocks } from '../state/known-blocks.ts';
import { SingleFlight } from '@hindsight/kernel/single-flight.ts';
import type { EthereumNode } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';

/** There is no block for that moment: the chain began later, or the moment is still to come. */
export class NoBlockAtDate extends Error {
  override readonly name = 'NoBlockAtDate';
}

interface DateSearchDeps {
  readonly node: EthereumNode;
  readonly clock: Clock;
  /** Shared with the chain reader, so that each benefits from the other. */
  readonly known: KnownBlocks;
  /** Most headers in one request. */
  readonly headersPerRequest?: number;
}

const HEADERS_PER_REQUEST = 24;
/** More than any real chain takes; it bounds the cost of a node that invents headers. */
const MAX_ROUNDS = 20;
const MAX_ANCHORS = 20_000;
const REMEMBERED_ANSWERS = 50_000;
const NO_PARENT = `0x${'0'.repeat(64)}`;

/** The chain was reorganised while it was searched: a block is gone, or its successor has another parent. */
class Reorganised extends Error {}

/** Searches dates on one network. */
export class DateSearch {
  readonly #node: EthereumNode;
  readonly #clock: Clock;
  readonly #known: KnownBlocks;
  readonly #headersPerRequest: number;
  readonly #anchors = new Anchors(MAX_ANCHORS);
  readonly #answers = new LRUCache<number, Block>({ max: REMEMBERED_ANSWERS });
  readonly #searching = new SingleFlight<number, Block>();
  #first: Block | undefined;

  constructor(options: DateSearchDeps) {
    this.#node = options.node;
    this.#clock = options.clock;
    this.#known = options.known;
    this.#headersPerRequest = options.headersPerRequest ?? HEADERS_PER_REQUEST;
  }

  /**
   * The last block whose time is not after the moment; of several with the same time the last one. After the newest
   * block's time that is the newest block, as long as the moment is not in the future.
   * @param seconds Unix time, a whole number
   * @param signal abandons the search, unless others wait for it too
   * @throws {NoBlockAtDate} before the chain's first block, and for the future
   * @throws {NodeError} when no node answers, or the headers do not make a chain
   */
  async findBlockAt(seconds: number, signal?: AbortSignal): Promise<Block> {
    const answer = this.#answers.get(seconds);
    if (answer && !this.#known.isDenied(answer)) return answer;
    signal?.throwIfAborted();
    const search = this.#searching.join(seconds, (own) => this.#searchTwice(seconds, own));
    return this.#searching.waitFor(search, signal);
  }

  /** Searches once more after a reorganisation in the middle of a search. */
  async #searchTwice(seconds: number, signal: AbortSignal): Promise<Block> {
    try {
      return await this.#search(seconds, signal);
    } catch (error) {
      if (!(error instanceof Reorganised)) throw error;
    }
    try {
      return await this.#search(seconds, signal);
    } catch (error) {
      if (!(error instanceof Reorganised)) throw error;
      // Twice is no accident: the remembered blocks, or the node's, do not form a chain.
      this.#forget();
      throw this.#malformed('blocks that do not follow each other');
    }
  }

  async #search(seconds: number, signal: AbortSignal): Promise<Block> {
    let bracket = this.#rememberedBracket(seconds);
    if (bracket === undefined) {
      const ends = await this.#ends(seconds, signal);
      if (!('below' in ends)) return ends;
      bracket = ends;
    }
    for (let round = 0; bracket.above.number - bracket.below.number > 1; round++) {
      if (round === MAX_ROUNDS) throw this.#malformed('times in which no block can be found');
      bracket = await this.#narrow(bracket, seconds, signal);
    }
    const { below, above } = bracket;
    if (above.parentHash !== below.hash) throw new Reorganised();
    this.#known.learn(below.number, below);
    if (this.#known.isFinalized(above)) this.#answers.set(seconds, below);
    return below;
  }

  #rememberedBracket(seconds: number): Bracket | undefined {
    const below = this.#anchors.notAfter(seconds);
    const above = this.#anchors.after(seconds) ?? this.#youngHead(seconds);
    const isFalse = [below, above, this.#first].some((block) => block && this.#known.isDenied(block));
    if (isFalse) this.#forget();
    return !isFalse && below && above ? { below, above } : undefined;
  }

  /** Forgets the blocks of earlier searches: one of them contradicts the chain. */
  #forget(): void {
    this.#anchors.clear();
    this.#first = undefined;
  }

  #youngHead(seconds: number): Block | undefined {
    const head = this.#known.find('latest');
    return head && head.timestamp > seconds ? head : undefined;
  }

  /** The chain's ends around the moment, or the newest block if that is the answer. */
  async #ends(seconds: number, signal: AbortSignal): Promise<Bracket | Block> {
    const [head, first] = await this.#readEnds(signal);
    if (seconds < first.timestamp) this.#refuseEarly(seconds, first);
    if (seconds >= head.timestamp) {
      if (seconds * 1000 > this.#clock.now() && seconds > head.timestamp) {
        throw new NoBlockAtDate(
          `${iso(seconds)} is in the future; the latest block is ${head.number} of ${iso(head.timestamp)}`,
        );
      }
      return head;
    }
    return {
      below: this.#anchors.notAfter(seconds) ?? first,
      above: this.#anchors.after(seconds) ?? head,
    };
  }

  async #readEnds(signal: AbortSignal): Promise<readonly [head: Block, first: Block]> {
    const tags: HeaderTag[] = ['latest', 'finalized', ...(this.#first ? [] : ['earliest' as const])];
    const [head, finalized, earliest] = await readHeaders(this.#node, tags, signal);
    const first = this.#first ?? earliest;
    if (!head || !first) throw this.#malformed('no block as the latest or the first one');
    if (first.number > head.number || first.timestamp > head.timestamp) {
      throw this.#malformed('a first block that is after the latest one');
    }
    this.#known.learnFinalized(finalized ?? null, head.number);
    this.#known.learn('latest', head);
    if (finalized) this.#remember(finalized);
    // A node that has dropped old history names the oldest block that it still has.
    if (first.parentHash === NO_PARENT) {
      this.#first = first;
      this.#remember(first);
    }
    return [head, first];
  }

  #refuseEarly(seconds: number, first: Block): never {
    if (first.parentHash !== NO_PARENT) {
      throw new NodeError('missing-state', `${this.#node.label} has no blocks before ${first.number}`);
    }
    throw new NoBlockAtDate(
      `${iso(seconds)} is before the chain's first block, ${first.number} of ${iso(first.timestamp)}`,
    );
  }

  /** Reads blocks between the two and narrows the bracket. */
  async #narrow({ below, above }: Bracket, seconds: number, signal: AbortSignal): Promise<Bracket> {
    const heights = guessHeights({ below, above }, seconds, this.#headersPerRequest);
    const blocks = await readHeaders(this.#node, heights, signal);
    let last = below;
    let bracket: Bracket = { below, above };
    for (const block of [...blocks, above]) {
      if (block === null) throw new Reorganised();
      this.#checkOrder(last, block);
      if (block !== above) this.#remember(block);
      if (last.timestamp <= seconds && block.timestamp > seconds) bracket = { below: last, above: block };
      last = block;
    }
    return bracket;
  }

  #checkOrder(earlier: Block, later: Block): void {
    if (later.timestamp < earlier.timestamp) {
      this.#forget();
      throw this.#malformed('a block that is older than one before it');
    }
    if (later.number === earlier.number + 1 && later.parentHash !== earlier.hash) throw new Reorganised();
  }

  #remember(block: Block): void {
    if (this.#known.isFinalized(block)) this.#anchors.add(block);
  }

  #malformed(what: string): NodeError {
    return new NodeError('malformed', `${this.#node.label} answered ${what}`);
  }
}

/** Unix seconds as ISO 8601, for error messages. */
function iso(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString().replace('.000Z', 'Z');
}
