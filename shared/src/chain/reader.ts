/**
 * Reads the chain's state at one block and says which block it was. Every answer is pinned: by the block's hash where
 * that is known, else by proof that header and state belong together.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { AboveHead, readBlock, type Block, type BlockQuery } from './block.ts';
import { numberToQuantity, quantityToNumber } from './hex.ts';
import type { Network } from './networks.ts';
import { resultOf, sendOne, type EthereumNode, type RpcCall, type RpcOutcome } from './node.ts';
import { NodeError } from './node-error.ts';
import { decodePlainCalls, encodePlainCalls } from './plain-calls.ts';
import { decodeProbe, encodeProbe, type ProbeItem, type ProbeResult } from './probe/probe.ts';

/** What was read, and where. */
export interface Reading {
  readonly block: Block;
  /** Whether the block can no longer be reorganised away, as far as the node has told us yet. */
  readonly finalized: boolean;
  readonly results: readonly ProbeResult[];
}

interface ReadOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

interface ChainReaderOptions {
  readonly node: EthereumNode;
  readonly network: Network;
  readonly clock: Clock;
}

/** A finalized height that was learnt this long ago is asked for again, with the next question. */
const FINALIZED_MAX_AGE_MS = 12_000;
const HEADER_CACHE_SIZE = 50_000;

/** Reads state at blocks of one network. */
export class ChainReader {
  readonly #node: EthereumNode;
  readonly #network: Network;
  readonly #clock: Clock;
  /** Headers of finalized blocks, which never change. */
  readonly #headers = new LRUCache<number, Block>({ max: HEADER_CACHE_SIZE });
  #finalized = { number: -1, learntAt: -Infinity };

  constructor(options: ChainReaderOptions) {
    this.#node = options.node;
    this.#network = options.network;
    this.#clock = options.clock;
  }

  /**
   * Asks all items at one block.
   * @throws {AboveHead} when the chain has not reached that height
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async read(at: BlockQuery, items: readonly ProbeItem[], options: ReadOptions = {}): Promise<Reading> {
    const known = at === 'latest' ? undefined : this.#headers.get(at);
    if (known) return this.#readPinned(known, items, options);
    // Without its header, a block's state is asked for by height: safe where heads and probe prove to belong together,
    // which plain calls cannot.
    if (at !== 'latest' && at < this.#network.byzantiumBlock) {
      return this.#readPinned(await this.#fetchBlock(at, options), items, options);
    }
    return this.#readTogether(at, items, options);
  }

  /** Header and state in one request; asked again, pinned, where a block came in between. */
  async #readTogether(at: BlockQuery, items: readonly ProbeItem[], options: ReadOptions): Promise<Reading> {
    const tag = at === 'latest' ? at : numberToQuantity(at);
    const calls = [...this.#headerCalls(tag), probeCall(items, tag)];
    const outcomes = await this.#node.send(calls, options);
    const block = await this.#learnBlock(at, outcomes, options);
    const answer = decodeAnswer(this.#node, resultOf(outcomes.at(-1)), items);
    const together =
      answer.number === block.number &&
      answer.timestamp === block.timestamp &&
      answer.parentHash === block.parentHash;
    if (!together) return this.#readPinned(block, items, options);
    return this.#reading(block, answer.results);
  }

  async #readPinned(block: Block, items: readonly ProbeItem[], options: ReadOptions): Promise<Reading> {
    const pin = { blockHash: block.hash, requireCanonical: true };
    if (block.number < this.#network.byzantiumBlock) {
      const outcomes = await this.#node.send(encodePlainCalls(items, pin), options);
      return this.#reading(block, decodePlainCalls(items, outcomes));
    }
    const [outcome] = await this.#node.send([probeCall(items, pin)], options);
    const answer = decodeAnswer(this.#node, resultOf(outcome), items);
    if (answer.number !== block.number || answer.parentHash !== block.parentHash) {
      throw new NodeError(
        'malformed',
        `${this.#node.label} answered for another block than the one asked for`,
      );
    }
    return this.#reading(block, answer.results);
  }

  async #fetchBlock(at: BlockQuery, options: ReadOptions): Promise<Block> {
    const tag = at === 'latest' ? at : numberToQuantity(at);
    return this.#learnBlock(at, await this.#node.send(this.#headerCalls(tag), options), options);
  }

  #headerCalls(tag: string): RpcCall[] {
    const calls = [{ method: 'eth_getBlockByNumber', params: [tag, false] }];
    if (this.#clock.now() - this.#finalized.learntAt > FINALIZED_MAX_AGE_MS) {
      calls.push({ method: 'eth_getBlockByNumber', params: ['finalized', false] });
    }
    return calls;
  }

  /** Reads the outcomes of `#headerCalls`, which come first. */
  async #learnBlock(at: BlockQuery, outcomes: readonly RpcOutcome[], options: ReadOptions): Promise<Block> {
    const block = readBlock(this.#node.label, resultOf(outcomes[0]));
    const finalized = outcomes[1];
    // The probe's answer is a string; a node that knows no finalized block answers null or an error.
    if (finalized && 'result' in finalized && typeof finalized.result === 'object') {
      this.#learnFinalized(readBlock(this.#node.label, finalized.result));
    }
    if (block === null) return this.#explainMissing(at, options);
    if (at !== 'latest' && block.number !== at) {
      throw new NodeError('malformed', `${this.#node.label} answered another block than the one asked for`);
    }
    if (block.number <= this.#finalized.number) this.#headers.set(block.number, block);
    return block;
  }

  #learnFinalized(block: Block | null): void {
    const number = Math.max(this.#finalized.number, block?.number ?? -1);
    this.#finalized = { number, learntAt: this.#clock.now() };
  }

  async #explainMissing(at: BlockQuery, options: ReadOptions): Promise<never> {
    const head = quantityToNumber(await sendOne(this.#node, 'eth_blockNumber', [], options));
    if (at !== 'latest' && at > head) throw new AboveHead(at, head);
    throw new NodeError(
      'unknown-block',
      `${this.#node.label} has no block ${at}, though its head is ${head}`,
    );
  }

  #reading(block: Block, results: readonly ProbeResult[]): Reading {
    if (results.some((result) => result.status === 'starved')) {
      throw new NodeError('refused', `${this.#node.label} allows an eth_call too little gas`);
    }
    return { block, finalized: block.number <= this.#finalized.number, results };
  }
}

function probeCall(items: readonly ProbeItem[], block: unknown): RpcCall {
  return { method: 'eth_call', params: [{ data: encodeProbe(items) }, block] };
}

function decodeAnswer(
  node: EthereumNode,
  answer: unknown,
  items: readonly ProbeItem[],
): ReturnType<typeof decodeProbe> {
  try {
    return decodeProbe(answer, items);
  } catch (cause) {
    throw new NodeError('malformed', `${node.label} did not run the probe`, { cause });
  }
}
