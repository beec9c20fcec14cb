/**
 * Reads the chain's state at one block and says which block it was. Every answer is pinned: by the block's hash where
 * that is known, else by proof that header and state belong together.
 */
import type { Clock } from '../clock.ts';
import { AboveHead, readBlock, readHead, type Block, type BlockQuery } from './block.ts';
import { numberToQuantity } from './hex.ts';
import { KnownBlocks } from './known-blocks.ts';
import type { Network } from './networks.ts';
import { resultOf, sendOne, type EthereumNode, type RpcCall, type RpcOutcome } from './node.ts';
import { NodeError } from './node-error.ts';
import { decodePlainCalls, encodePlainCalls } from './plain-calls.ts';
import { SingleFlight } from '../single-flight.ts';
import { ProbeBatcher, type CallOutcome, type PinnedCall } from './probe-batcher.ts';
import {
  decodeProbe,
  encodeProbe,
  type ProbeAnswer,
  type ProbeItem,
  type ProbeResult,
} from './probe/probe.ts';

/** What was read, and where. */
export interface Reading {
  readonly block: Block;
  /** Whether the block can no longer be reorganised away, as far as the node has told us yet. */
  readonly finalized: boolean;
  readonly results: readonly ProbeResult[];
}

interface ChainReaderOptions {
  readonly node: EthereumNode;
  readonly network: Network;
  readonly clock: Clock;
  /** What is known of the chain, where it is shared with a date search; an own memory when not given. */
  readonly known?: KnownBlocks;
}

const NO_PARENT = `0x${'0'.repeat(64)}`;

/** A node ran the probe in another block than its hash was given for: the node is wrong, or what we took for the block. */
class OtherBlock extends NodeError {}

/** Reads state at blocks of one network. */
export class ChainReader {
  readonly #node: EthereumNode;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #known: KnownBlocks;
  readonly #batcher = new ProbeBatcher((calls, signal) => this.#askPinned(calls, signal));
  /** Blocks that are being learnt, with the question that came first. */
  readonly #opening = new SingleFlight<BlockQuery, Reading>();

  constructor(options: ChainReaderOptions) {
    this.#node = options.node;
    this.#network = options.network;
    this.#clock = options.clock;
    this.#known = options.known ?? new KnownBlocks(options.clock);
  }

  /** The block that a query means, where that is known without asking a node. */
  knownBlock(at: BlockQuery | Block): Block | undefined {
    return typeof at === 'object' ? at : this.#known.find(at);
  }

  /** Whether a block can no longer be reorganised away, as far as the node has told us yet. */
  isFinalized(block: Block): boolean {
    return this.#known.isFinalized(block);
  }

  /**
   * Asks all items at one block: the newest, the one at a height, or one that an earlier answer was about.
   * @param signal gives the question up; what others wait for too goes on
   * @throws {AboveHead} when the chain has not reached that height
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async read(at: BlockQuery | Block, items: readonly ProbeItem[], signal?: AbortSignal): Promise<Reading> {
    signal?.throwIfAborted();
    if (typeof at === 'object') return this.#readPinned(at, items, signal);
    const known = this.#known.find(at);
    return known ? this.#readKnown(at, known, items, signal) : this.#openOnce(at, items, signal);
  }

  /** Opens a block together with all who ask for it meanwhile. */
  async #openOnce(at: BlockQuery, items: readonly ProbeItem[], signal?: AbortSignal): Promise<Reading> {
    const opening = this.#opening.join(at, (own) => this.#open(at, items, own));
    const reading = await this.#opening.waitFor(opening, signal);
    return opening.isFirst ? reading : this.#readPinned(reading.block, items, signal);
  }

  /** Reads at a block that is remembered; asks anew where it has been reorganised away since, or never was. */
  async #readKnown(
    at: BlockQuery,
    block: Block,
    items: readonly ProbeItem[],
    signal?: AbortSignal,
  ): Promise<Reading> {
    try {
      return await this.#readPinned(block, items, signal);
    } catch (error) {
      if (!isDenial(error)) throw error;
      return this.#openOnce(at, items, signal);
    }
  }

  async #readPinned(block: Block, items: readonly ProbeItem[], signal?: AbortSignal): Promise<Reading> {
    try {
      return this.#reading(block, await this.#batcher.ask(block, items, signal));
    } catch (error) {
      if (isDenial(error)) this.#known.forget(block);
      throw error;
    }
  }

  /** Header and state of a block that is not known, in one request. */
  async #open(at: BlockQuery, items: readonly ProbeItem[], signal?: AbortSignal): Promise<Reading> {
    const tag = at === 'latest' ? at : numberToQuantity(at);
    const plain = at !== 'latest' && at < this.#network.byzantiumBlock;
    const header = this.#headerCalls(at);
    const questions = plain ? encodePlainCalls(items, tag) : [probeCall(items, tag)];
    const outcomes = await this.#node.send([...header, ...questions], { signal });
    const heardAt = this.#clock.now();
    const block = await this.#readHeader(at, outcomes.slice(0, header.length), signal);
    const own = outcomes.slice(header.length);
    let results: readonly ProbeResult[] | undefined;
    if (!plain) results = this.#probeResults(block, items, own[0]);
    // Plain calls do not say in which block they ran: by height they can be believed where that is final.
    else if (this.#known.isFinalized(block)) results = decodePlainCalls(items, own);
    const reading = results ? this.#reading(block, results) : await this.#readPinned(block, items, signal);
    // Not before the block's own state has borne the header out: a node may be wrong about it.
    this.#known.learn(at, block, heardAt);
    return reading;
  }

  /** What a probe answered; undefined where it ran in another block. */
  #probeResults(
    block: Block,
    items: readonly ProbeItem[],
    outcome: RpcOutcome | undefined,
  ): readonly ProbeResult[] | undefined {
    const answer = this.#decode(resultOf(outcome), items);
    return isIn(block, answer) ? answer.results : undefined;
  }

  async #askPinned(
    calls: readonly PinnedCall[],
    signal: AbortSignal | undefined,
  ): Promise<readonly CallOutcome[]> {
    const parts = calls.map(({ block, items }) => this.#pinnedCalls(block, items));
    // Pinned by hash: whichever node answers, it is about that block.
    const outcomes = await this.#node.send(parts.flat(), { signal, independent: true });
    let at = 0;
    return calls.map((call, i) => {
      const own = outcomes.slice(at, (at += parts[i]?.length ?? 0));
      try {
        return { results: this.#readPinnedOutcomes(call, own) };
      } catch (error) {
        return { error };
      }
    });
  }

  #pinnedCalls(block: Block, items: readonly ProbeItem[]): readonly RpcCall[] {
    const pin = { blockHash: block.hash, requireCanonical: true };
    return this.#isPlain(block) ? encodePlainCalls(items, pin) : [probeCall(items, pin)];
  }

  #readPinnedOutcomes({ block, items }: PinnedCall, outcomes: readonly RpcOutcome[]): readonly ProbeResult[] {
    if (this.#isPlain(block)) return decodePlainCalls(items, outcomes);
    const results = this.#probeResults(block, items, outcomes[0]);
    if (results) return results;
    throw new OtherBlock(
      'malformed',
      `${this.#node.label} answered for another block than the one asked for`,
    );
  }

  #isPlain(block: Block): boolean {
    return block.number < this.#network.byzantiumBlock;
  }

  /** The header that is meant; now and then how far the chain is finalized, and the head where that is not meant. */
  #headerCalls(at: BlockQuery): RpcCall[] {
    const header = (tag: string): RpcCall => ({ method: 'eth_getBlockByNumber', params: [tag, false] });
    if (at === 'latest') return this.#known.finalizedIsOld ? [header(at), header('finalized')] : [header(at)];
    const own = header(numberToQuantity(at));
    const head = { method: 'eth_blockNumber', params: [] };
    return this.#known.finalizedIsOld ? [own, header('finalized'), head] : [own];
  }

  async #readHeader(
    at: BlockQuery,
    outcomes: readonly RpcOutcome[],
    signal: AbortSignal | undefined,
  ): Promise<Block> {
    const { label } = this.#node;
    const [own, finalized, head] = outcomes;
    const block = readBlock(label, resultOf(own));
    // A node that knows no finalized block answers null or an error.
    if (finalized && 'result' in finalized) {
      const newest = head ? readHead(label, resultOf(head)) : (block?.number ?? -1);
      this.#known.learnFinalized(readBlock(label, finalized.result), newest);
    }
    if (block === null) return this.#explainMissing(at, signal);
    if (at !== 'latest' && block.number !== at) {
      throw new NodeError('malformed', `${this.#node.label} answered another block than the one asked for`);
    }
    return block;
  }

  async #explainMissing(at: BlockQuery, signal: AbortSignal | undefined): Promise<never> {
    const head = readHead(this.#node.label, await sendOne(this.#node, 'eth_blockNumber', [], { signal }));
    if (at !== 'latest' && at > head) throw new AboveHead(at, head);
    throw new NodeError(
      'unknown-block',
      `${this.#node.label} has no block ${at}, though its head is ${head}`,
    );
  }

  #reading(block: Block, results: readonly ProbeResult[]): Reading {
    return { block, finalized: this.#known.isFinalized(block), results };
  }

  #decode(answer: unknown, items: readonly ProbeItem[]): ProbeAnswer {
    let decoded: ProbeAnswer;
    try {
      decoded = decodeProbe(answer, items);
    } catch (cause) {
      throw new NodeError('malformed', `${this.#node.label} did not run the probe`, { cause });
    }
    const starved = decoded.results.some((result) => result.status === 'starved');
    if (starved) throw new NodeError('refused', `${this.#node.label} allows an eth_call too little gas`);
    return decoded;
  }
}

/** Whether an answer by a block's hash says that there is no such block. */
function isDenial(error: unknown): boolean {
  return error instanceof OtherBlock || (error instanceof NodeError && error.kind === 'unknown-block');
}

function probeCall(items: readonly ProbeItem[], block: unknown): RpcCall {
  return { method: 'eth_call', params: [{ data: encodeProbe(items) }, block] };
}

/** Whether the probe ran in that block: same height, same time, same parent (a chain's first block has none). */
function isIn(block: Block, answer: ProbeAnswer): boolean {
  const sameParent = answer.parentHash === block.parentHash || block.parentHash === NO_PARENT;
  return answer.number === block.number && answer.timestamp === block.timestamp && sameParent;
}
