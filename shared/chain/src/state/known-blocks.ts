import { LRUCache } from 'lru-cache';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Block, BlockQuery } from './block.ts';

/** Age of a finalized height after which it is refreshed, along with the next question. */
const FINALIZED_MAX_AGE_MS = 12_000;
// Here and elsewhere in `maxSize`: with `max`, a cache takes all of its memory at once.
const FINALIZED_BLOCKS = 50_000;
/** Greatest age of a head from which `latest` is answered. */
const HEAD_MAX_AGE_MS = 500;
/** Time for which the chain is taken to be as high as the highest block met: nodes behind one URL differ in height. */
const HIGHEST_FOR_MS = 60_000;

/**
 * Memory of the chain's blocks. Finalized ones never change, but a node may have been wrong about one. Others
 * are kept no longer than the bound on the age of `latest`; their users pin by hash, so that a reorganisation
 * shows as an error of the node.
 */
export class KnownBlocks {
  readonly #clock: Clock;
  readonly #headMaxAgeMs: number;
  readonly #finalized = new LRUCache<number, Block>({ maxSize: FINALIZED_BLOCKS, sizeCalculation: () => 1 });
  readonly #heights = new LRUCache<string, number>({ maxSize: FINALIZED_BLOCKS, sizeCalculation: () => 1 });
  readonly #recent = new Map<number, { block: Block; learntAt: number }>();
  readonly #denied = new WeakSet<Block>();
  #head: { block: Block; learntAt: number } | undefined;
  #highest = { height: -1, learntAt: -Infinity };
  #finalizedHeight = -1;
  #finalizedLearntAt = -Infinity;

  constructor(clock: Clock, headMaxAgeMs = HEAD_MAX_AGE_MS) {
    this.#clock = clock;
    this.#headMaxAgeMs = headMaxAgeMs;
  }

  /** The block of a query, if it is known and young enough to answer from. */
  find(at: BlockQuery): Block | undefined {
    if (at === 'latest') return this.#fresh(this.#head);
    return this.#finalized.get(at) ?? this.#fresh(this.#recent.get(at));
  }

  /**
   * The finalized block with that hash. Any other may have been reorganised away a moment ago, and a question
   * that names its block by hash also asks whether that block is canonical.
   */
  findByHash(hash: string): Block | undefined {
    const height = this.#heights.get(hash);
    const block = height === undefined ? undefined : this.#finalized.get(height);
    return block?.hash === hash ? block : undefined;
  }

  /** The height of a block that was met with that hash, canonical or not. */
  heightOf(hash: string): number | undefined {
    return this.#heights.get(hash);
  }

  /**
   * Notes a block that a node called canonical, and forgets blocks that contradict it.
   * @param receivedAt time of that answer
   */
  learn(at: BlockQuery, block: Block, receivedAt = this.#clock.now()): void {
    const parent = this.#recent.get(block.number - 1)?.block;
    const before = this.#recent.get(block.number)?.block ?? this.#finalized.get(block.number);
    const reorganised =
      (parent !== undefined && parent.hash !== block.parentHash) ||
      (before !== undefined && before.hash !== block.hash);
    if (reorganised) this.#recent.clear();
    this.#heights.set(block.hash, block.number);
    const entry = { block, learntAt: receivedAt };
    if (reorganised || !this.hasReached(block.number + 1))
      this.#highest = { height: block.number, learntAt: receivedAt };
    if (at === 'latest') this.#head = entry;
    if (this.isFinalized(block)) this.#finalized.set(block.number, block);
    else this.#remember(entry);
  }

  /**
   * Notes the finalized height; null if the node knows no finalized block.
   * @param head the node's head, as of the same moment: a finalized block above it is not believed
   */
  learnFinalized(block: Block | null, head: number): void {
    if (block && block.number <= head) this.learnFinalizedHeight(block.number);
    this.#finalizedLearntAt = this.#clock.now();
  }

  /** Notes that the chain is finalized at least that far. */
  learnFinalizedHeight(height: number): void {
    this.#finalizedHeight = Math.max(this.#finalizedHeight, height);
  }

  /**
   * True if a canonical block at that height or above was met a short time ago, though it may have been denied since: a
   * node without it is behind.
   */
  hasReached(height: number): boolean {
    return this.#highest.height >= height && this.#isYounger(this.#highest.learntAt, HIGHEST_FOR_MS);
  }

  /** Forgets a block that turned out not to be canonical, or to differ from a node's description. */
  forget(block: Block): void {
    const { number, hash } = block;
    this.#denied.add(block);
    if (this.#recent.get(number)?.block.hash === hash) this.#recent.delete(number);
    if (this.#finalized.peek(number)?.hash === hash) this.#finalized.delete(number);
    if (this.#head?.block.hash === hash) this.#head = undefined;
  }

  /** True if that very block was forgotten: a copy of it must not be used again. */
  isDenied(block: Block): boolean {
    return this.#denied.has(block);
  }

  /** True if a block can no longer be reorganised away, as far as the nodes have reported. */
  isFinalized(block: Block): boolean {
    return block.number <= this.#finalizedHeight;
  }

  /** True if the finalized height is due for a refresh. */
  get finalizedIsOld(): boolean {
    return !this.#isYounger(this.#finalizedLearntAt, FINALIZED_MAX_AGE_MS);
  }

  #remember(entry: { block: Block; learntAt: number }): void {
    for (const [number, known] of this.#recent) {
      if (this.#fresh(known)) break;
      this.#recent.delete(number);
    }
    this.#recent.delete(entry.block.number);
    this.#recent.set(entry.block.number, entry);
  }

  #fresh(entry: { block: Block; learntAt: number } | undefined): Block | undefined {
    return entry && this.#isYounger(entry.learntAt, this.#headMaxAgeMs) ? entry.block : undefined;
  }

  /** After the clock was set back, the age of earlier facts is unknown: they count as old. */
  #isYounger(learntAt: number, maxAgeMs: number): boolean {
    const age = this.#clock.now() - learntAt;
    return age >= 0 && age < maxAgeMs;
  }
}
