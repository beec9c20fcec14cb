/** Finds the block of a moment: the last one at or before it. */
import { Fault } from '@hindsight/kernel/errors.ts';
import { LRUCache } from 'lru-cache';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { Anchors } from './anchors.ts';
import {
  BeforeFirstBlock,
  headerCall,
  NO_PARENT,
  readBlockAt,
  type Block,
  type HeaderTag,
} from '../state/block.ts';
import type { Network } from '../networks.ts';
import { endOf, entriesOf, type BlockCalendar, type CalendarEntry } from './calendar.ts';
import { evenHeights, guessFewHeights, guessHeights, type Bracket } from './date-guess.ts';
import { CallSize } from '../state/call-size.ts';
import { readHeaders } from '../state/headers.ts';
import type { KnownBlocks } from '../state/known-blocks.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { SingleFlight } from '@hindsight/kernel/single-flight.ts';
import { resultOf, type EthereumNode } from '../rpc/node.ts';
import type { NodeErrorKind } from '../rpc/node-error-kind.ts';
import { NodeError } from '../rpc/node-error.ts';

/** There is no block for that moment: it is before the chain's first block, or in the future. */
export class NoBlockAtDate extends Fault {}

interface DateSearchDeps {
  readonly node: EthereumNode;
  readonly clock: Clock;
  /** Shared with the chain reader, so that each benefits from the other. */
  readonly known: KnownBlocks;
  /** Most headers in one request of a single search. */
  readonly headersPerRequest?: number;
  /** Named where the chain is answered from a later block on. */
  readonly network?: Pick<Network, 'name' | 'firstBlock'>;
  /** Keeps blocks for later processes, if given. */
  readonly calendar?: BlockCalendar | undefined;
}

const HEADERS_PER_REQUEST = 24;
/**
 * Most headers in one request of many searches: a header comes with the hashes of its transactions, some 20
 * KB.
 */
const HEADERS_FOR_MANY = 400;
/** Headers for each of many moments, by round: the first rounds narrow the search for the others, too. */
const FEW_HEADERS = [1, 2, 3, 4];
const MAY_BE_TOO_LARGE: ReadonlySet<NodeErrorKind> = new Set(['refused', 'malformed', 'timeout']);
/** More than any real chain takes; it bounds the cost of a node that invents headers. */
const MAX_ROUNDS = 20;
const MAX_ANCHORS = 20_000;
const REMEMBERED_ANSWERS = 50_000;

/** The chain was reorganised while it was searched: a block is gone, or its successor has another parent. */
class Reorganised extends Error {}

interface Searched {
  readonly seconds: number;
  readonly bracket: Bracket;
}

type Found = ReadonlyMap<number, Block>;

/** The chain's newest block, and the first that the node has. */
interface Ends {
  readonly head: Block;
  readonly first: Block;
}

export class DateSearch {
  readonly #deps: DateSearchDeps;
  readonly #known: KnownBlocks;
  readonly #headersPerRequest: number;
  readonly #anchors = new Anchors(MAX_ANCHORS);
  readonly #answers = new LRUCache<number, Block>({ maxSize: REMEMBERED_ANSWERS, sizeCalculation: () => 1 });
  readonly #searching = new SingleFlight<number, Block>();
  readonly #size: CallSize;
  #isCalendarOpen = false;
  #first: Block | undefined;

  constructor(deps: DateSearchDeps) {
    this.#deps = deps;
    this.#known = deps.known;
    this.#headersPerRequest = deps.headersPerRequest ?? HEADERS_PER_REQUEST;
    this.#size = new CallSize(deps.clock);
  }

  /**
   * The last block whose time is not after the moment; of several with the same time the last one. After the
   * newest block's time that is the newest block, unless the moment is in the future.
   * @param seconds Unix time, a whole number
   * @param signal abandons the search, unless others wait for it too
   * @throws {NoBlockAtDate} before the chain's first block, and for the future
   * @throws {BeforeFirstBlock} before the first block that the network is answered from
   * @throws {NodeError} when no node answers, or the headers do not make a chain
   */
  async findBlockAt(seconds: number, signal?: AbortSignal): Promise<Block> {
    const answer = this.#answerTo(seconds);
    if (answer) return answer;
    signal?.throwIfAborted();
    const search = this.#searching.join(seconds, async (own) => {
      const found = await this.#searchTwice([seconds], own);
      return found.get(seconds)!;
    });
    return this.#searching.waitFor(search, signal);
  }

  /**
   * The blocks of many moments, in their order, each as `findBlockAt` finds it. Blocks read for one shorten
   * the search for the others: the 365 days of a year take some 15 requests with nothing remembered.
   * @throws {NoBlockAtDate} if one of the moments is before the chain's first block, or in the future
   * @throws {NodeError} when no node answers, or the headers do not make a chain
   */
  async findBlocksAt(moments: readonly number[], signal?: AbortSignal): Promise<readonly Block[]> {
    signal?.throwIfAborted();
    const open = [...new Set(moments)].filter((seconds) => !this.#answerTo(seconds)).sort((a, b) => a - b);
    const found = open.length > 0 ? await this.#searchTwice(open, signal) : new Map<number, Block>();
    return moments.map((seconds) => {
      const block = found.get(seconds) ?? this.#answerTo(seconds);
      if (block === undefined) throw this.#malformed('a block that is no longer canonical');
      return block;
    });
  }

  #answerTo(seconds: number): Block | undefined {
    const answer = this.#answers.get(seconds);
    return answer && !this.#known.isDenied(answer) ? answer : undefined;
  }

  /** Searches a second time after a reorganisation in the middle of a search, and without blocks that nodes have dropped. */
  async #searchTwice(moments: readonly number[], signal: AbortSignal | undefined): Promise<Found> {
    for (let tries = 0; tries < 2; tries++) {
      try {
        return await this.#search(moments, signal);
      } catch (error) {
        if (tries === 0 && isLacking(error) && (await this.#forgetDropped(signal))) continue;
        if (!(error instanceof Reorganised)) throw error;
        // The head may be of the old chain: the second search begins with another.
        const head = this.#known.find('latest');
        if (head) this.#known.forget(head);
      }
    }
    // A second reorganisation is no coincidence: cached or served blocks do not form a chain.
    this.#forget();
    throw this.#malformed('blocks that do not follow each other');
  }

  /** @param moments ascending */
  async #search(moments: readonly number[], signal: AbortSignal | undefined): Promise<Found> {
    await this.#openCalendar(signal);
    const found = new Map<number, Block>();
    let searched: Searched[] = [];
    let ends: Ends | undefined;
    for (const seconds of moments) {
      // Known since the calendar was opened.
      const answer = this.#answerTo(seconds);
      if (answer) {
        found.set(seconds, answer);
        continue;
      }
      const bracket =
        this.#rememberedBracket(seconds) ?? this.#around(seconds, (ends ??= await this.#readEnds(signal)));
      if ('below' in bracket) searched.push({ seconds, bracket });
      else found.set(seconds, bracket);
    }
    for (let round = 0; ; round++) {
      searched = searched.filter(({ seconds, bracket }) => {
        const isOpen = bracket.above.number - bracket.below.number > 1;
        if (!isOpen) found.set(seconds, this.#settle(seconds, bracket));
        return isOpen;
      });
      if (searched.length === 0) return found;
      if (round === MAX_ROUNDS) throw this.#malformed('times in which no block can be found');
      searched = await this.#narrow(searched, round, signal);
    }
  }

  #settle(seconds: number, { below, above }: Bracket): Block {
    if (above.parentHash !== below.hash) throw new Reorganised();
    this.#known.learn(below.number, below);
    if (this.#known.isFinalized(above)) this.#answers.set(seconds, below);
    return below;
  }

  /** Loads the blocks found by earlier processes, once they can be read and if they are of this chain. */
  async #openCalendar(signal: AbortSignal | undefined): Promise<void> {
    if (this.#deps.calendar === undefined || this.#isCalendarOpen) return;
    const entries = await this.#deps.calendar.load();
    if (entries === undefined) return;
    const ascending = entries.toSorted((a, b) => a.block.number - b.block.number);
    const samples = [ascending[0], ascending.at(-1)].filter((entry) => entry !== undefined);
    const canonical = samples.length === 0 ? [] : await this.#readSamples(samples, signal);
    const isUnknown = samples.length > 0 && canonical.every((block) => block === null);
    if (isUnknown || this.#isCalendarOpen) return;
    this.#isCalendarOpen = true;
    if (samples.some(({ block }, i) => canonical[i] && canonical[i].hash !== block.hash)) {
      await this.#deps.calendar.clear();
      return;
    }
    for (const { hour, block, isLast } of entries) {
      this.#anchors.add(block);
      // The next block was final, too, when this was found to be the last of its hour.
      this.#known.learnFinalizedHeight(isLast ? block.number + 1 : block.number);
      if (isLast) this.#answers.set(endOf(hour), block);
    }
  }

  /** The blocks at the heights of entries; null where nodes lack one, which does not discredit the calendar. */
  async #readSamples(
    samples: readonly CalendarEntry[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (Block | null)[]> {
    const { node } = this.#deps;
    const calls = samples.map(({ block }) => headerCall(block.number));
    const outcomes = await node.send(calls, { signal, independent: true });
    return samples.map(({ block }, i) => {
      const outcome = outcomes[i];
      if (outcome && 'error' in outcome && isLacking(outcome.error)) return null;
      return readBlockAt(node.label, block.number, resultOf(outcome));
    });
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
    void this.#deps.calendar?.clear();
  }

  /** Forgets blocks below all that nodes have: searches would read what lies between. @returns true if there were any */
  async #forgetDropped(signal: AbortSignal | undefined): Promise<boolean> {
    this.#first = undefined;
    const { first } = await this.#readEnds(signal);
    return this.#anchors.dropBelow(first.number);
  }

  #youngHead(seconds: number): Block | undefined {
    const head = this.#known.find('latest');
    return head && head.timestamp > seconds ? head : undefined;
  }

  /** The chain's ends around the moment, or the newest block if that is the answer. */
  #around(seconds: number, { head, first }: Ends): Bracket | Block {
    if (seconds < first.timestamp) this.#refuseEarly(seconds, first);
    if (seconds >= head.timestamp) {
      if (seconds * 1000 > this.#deps.clock.now() && seconds > head.timestamp) {
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

  async #readEnds(signal: AbortSignal | undefined): Promise<Ends> {
    const { firstBlock } = this.#deps.network ?? {};
    const begin: HeaderTag[] = ['earliest', ...(firstBlock === undefined ? [] : [firstBlock])];
    const tags: HeaderTag[] = ['latest', 'finalized', ...(this.#first ? [] : begin)];
    const [head, finalized, earliest, answered] = await readHeaders(this.#deps.node, tags, signal);
    const first =
      this.#first ?? (answered && earliest && answered.number > earliest.number ? answered : earliest);
    if (!head || !first) throw this.#malformed('no block as the latest or the first one');
    if (first.number > head.number || first.timestamp > head.timestamp) {
      throw this.#malformed('a first block that is after the latest one');
    }
    this.#known.learnFinalized(finalized ?? null, head.number);
    this.#known.learn('latest', head);
    if (finalized && this.#known.isFinalized(finalized)) this.#anchors.add(finalized);
    // A node that has dropped old history reports the oldest block that it still has.
    if (first.parentHash === NO_PARENT || first.number === firstBlock) {
      this.#first = first;
      this.#anchors.add(first);
    }
    return { head, first };
  }

  #refuseEarly(seconds: number, first: Block): never {
    const { name, firstBlock } = this.#deps.network ?? {};
    if (name !== undefined && first.number === firstBlock)
      throw new BeforeFirstBlock('date', iso(seconds), name, `${firstBlock} of ${iso(first.timestamp)}`);
    if (first.parentHash !== NO_PARENT) {
      throw new NodeError('missing-state', `${this.#deps.node.label} has no blocks before ${first.number}`);
    }
    throw new NoBlockAtDate(
      `${iso(seconds)} is before the chain's first block, ${first.number} of ${iso(first.timestamp)}`,
    );
  }

  /** Reads blocks between those of the brackets, and narrows the brackets. */
  async #narrow(
    searched: readonly Searched[],
    round: number,
    signal: AbortSignal | undefined,
  ): Promise<Searched[]> {
    const heights = new Set(this.#guess(searched, round));
    const read = await this.#readAll([...heights], signal);
    const known = searched.flatMap(({ bracket }) => [bracket.below, bracket.above]);
    const blocks = new Map([...known, ...read].map((block) => [block.number, block]));
    const ascending = [...blocks.values()].sort((a, b) => a.number - b.number);
    const around = new Anchors(Infinity);
    ascending.forEach((block, i) => {
      const before = ascending[i - 1];
      if (before) this.#checkOrder(before, block);
      around.add(block);
    });
    this.#rememberAll(ascending.filter((block) => this.#known.isFinalized(block)));
    return searched.map(({ seconds, bracket }) => {
      const below = around.notAfter(seconds) ?? bracket.below;
      return { seconds, bracket: { below, above: around.after(seconds) ?? bracket.above } };
    });
  }

  #guess(searched: readonly Searched[], round: number): number[] {
    const share = Math.floor(HEADERS_FOR_MANY / searched.length);
    return searched.flatMap(({ seconds, bracket }) => {
      if (share >= this.#headersPerRequest) return guessHeights(bracket, seconds, this.#headersPerRequest);
      const few = FEW_HEADERS[Math.min(round, FEW_HEADERS.length - 1)] ?? 1;
      const guessed = guessFewHeights(bracket, seconds, Math.max(few, share));
      // Still open, so the times are too uneven to be interpolated.
      return round < FEW_HEADERS.length ? guessed : [...guessed, ...evenHeights(bracket)];
    });
  }

  async #readAll(heights: readonly number[], signal: AbortSignal | undefined): Promise<readonly Block[]> {
    const most = Math.max(this.#headersPerRequest, Math.floor(HEADERS_FOR_MANY * this.#size.part));
    const read = await Promise.all(partsOf(heights, most).map((part) => this.#readPart(part, signal)));
    return read.flat();
  }

  /** A request that may have been too large is sent again in smaller ones. */
  async #readPart(heights: readonly number[], signal: AbortSignal | undefined): Promise<readonly Block[]> {
    try {
      const blocks = await readHeaders(this.#deps.node, heights, signal);
      return blocks.map((block) => {
        if (block === null) throw new Reorganised();
        return block;
      });
    } catch (error) {
      const isTooLarge = error instanceof NodeError && MAY_BE_TOO_LARGE.has(error.kind);
      if (!isTooLarge || heights.length <= this.#headersPerRequest) throw error;
      this.#size.refuse(heights.length / HEADERS_FOR_MANY);
      return this.#readAll(heights, signal);
    }
  }

  #checkOrder(earlier: Block, later: Block): void {
    if (later.timestamp < earlier.timestamp) {
      this.#forget();
      throw this.#malformed('a block that is older than one before it');
    }
    if (later.number === earlier.number + 1 && later.parentHash !== earlier.hash) throw new Reorganised();
  }

  /** @param blocks finalized ones, ascending */
  #rememberAll(blocks: readonly Block[]): void {
    for (const block of blocks) this.#anchors.add(block);
    void this.#deps.calendar?.keep(entriesOf(blocks));
  }

  #malformed(what: string): NodeError {
    return new NodeError('malformed', `${this.#deps.node.label} answered ${what}`);
  }
}

/** True for the error of a node that is behind, or has dropped old blocks. */
function isLacking(error: unknown): boolean {
  return error instanceof NodeError && (error.kind === 'missing-state' || error.kind === 'unknown-block');
}

/** Unix seconds as ISO 8601, for error messages. */
function iso(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString().replace('.000Z', 'Z');
}
