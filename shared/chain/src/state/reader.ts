/**
 * Reads the chain's state at one block, and returns that block too. Every answer is pinned: by the block's
 * hash if it is known, else by proof that header and state belong together.
 */
import type { Clock } from '@hindsight/kernel/clock.ts';
import {
  AboveHead,
  BeforeFirstBlock,
  HEAD,
  headerCall,
  NotCanonical,
  otherBlock,
  pinOf,
  readBlock,
  readBlockAt,
  readHead,
  type Block,
  type BlockQuery,
} from './block.ts';
import { numberToQuantity } from '../rpc/hex.ts';
import { NotVouched } from '../logs/vouched-logs.ts';
import { KnownBlocks } from './known-blocks.ts';
import { rulesAt, type Network } from '../networks.ts';
import { resultOf, sendOne, type EthereumNode, type RpcCall, type RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { encodeDirectCalls } from './plain-calls.ts';
import { SingleFlight } from '@hindsight/kernel/single-flight.ts';
import { Batcher } from './batcher.ts';
import { BulkReader } from './bulk-reader.ts';
import { findHeaders } from './headers.ts';
import type { Column, ColumnValue } from './multicall/column.ts';
import type { MulticallItem, MulticallResult } from './multicall/multicall.ts';
import { readNonces } from './nonces.ts';
import { isDenial, PinnedState, type CallOutcome, type Failed } from './pinned-state.ts';

/**
 * Gas for an item in a plain call: more than in a multicall, less than nodes allow, so the same on all nodes.
 */
const GAS_ALONE = 25_000_000;

export interface Reading {
  readonly block: Block;
  /** True if the block can no longer be reorganised away, as far as the node has reported. */
  readonly finalized: boolean;
  readonly results: readonly MulticallResult[];
}

interface ChainReaderDeps {
  readonly node: EthereumNode;
  readonly network: Network;
  readonly clock: Clock;
  /** Facts about the chain, if shared with a date search; by default separate. */
  readonly known?: KnownBlocks;
}

export class ChainReader {
  readonly #node: EthereumNode;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #known: KnownBlocks;
  readonly #state: PinnedState;
  readonly #batcher: Batcher;
  readonly #bulk: BulkReader;
  /** Blocks that are being learnt, with the question that came first. */
  readonly #opening = new SingleFlight<BlockQuery, Reading>();
  readonly #finding = new SingleFlight<BlockQuery, Block>();

  constructor(deps: ChainReaderDeps) {
    this.#node = deps.node;
    this.#network = deps.network;
    this.#state = new PinnedState(deps.node, deps.network);
    this.#batcher = new Batcher(this.#state);
    this.#bulk = new BulkReader(this.#state, deps.clock);
    this.#clock = deps.clock;
    this.#known = deps.known ?? new KnownBlocks(deps.clock);
  }

  /** The block of a query, if it is known without a request to a node. */
  knownBlock(at: BlockQuery | Block): Block | undefined {
    return typeof at === 'object' ? at : this.#known.find(at);
  }

  /** True if a block can no longer be reorganised away, as far as the node has reported. */
  isFinalized(block: Block): boolean {
    return this.#known.isFinalized(block);
  }

  /**
   * Finds a block without reading its state: the newest, or the one at a height.
   * @param signal abandons the question, unless others wait for it too
   * @throws {AboveHead} when the chain has not reached that height
   * @throws {BeforeFirstBlock} when the network is answered from a later one on
   * @throws {NodeError} when no node answers
   */
  async findBlock(at: BlockQuery, signal?: AbortSignal): Promise<Block> {
    this.#refuseEarly(at);
    return this.#known.find(at) ?? this.#findOnce(at, signal);
  }

  /**
   * Finds the blocks at many heights, without reading their state.
   * @param heights none of them above the head
   * @throws {NodeError} when no node answers, or one lacks a block
   */
  async findBlocks(heights: readonly number[], signal?: AbortSignal): Promise<readonly Block[]> {
    for (const height of heights) this.#refuseEarly(height);
    return findHeaders(this.#node, { heights, find: (height) => this.#known.find(height) }, signal);
  }

  /**
   * Finds the blocks at many heights on the chain of a later block. Which chain that is shows in each request while that
   * block is not final: another node may answer it, and the chain may be reorganised in between.
   * @param tip none of the heights is above it
   * @throws {NodeError} `unknown-block` where a node has another block than the tip; and as `findBlocks`
   */
  async findBlocksUpTo(
    tip: Block,
    heights: readonly number[],
    signal?: AbortSignal,
  ): Promise<readonly Block[]> {
    if (this.#known.isFinalized(tip)) return this.findBlocks(heights, signal);
    for (const height of heights) this.#refuseEarly(height);
    const find = (height: number): Block | undefined => {
      if (height === tip.number) return tip;
      const known = this.#known.find(height);
      return known && this.#known.isFinalized(known) ? known : undefined;
    };
    try {
      return await findHeaders(this.#node, { heights, find, tip }, signal);
    } catch (error) {
      if (error instanceof NotVouched) this.#known.forget(tip);
      throw error;
    }
  }

  /**
   * Finds a block by its hash.
   * @throws {NotCanonical} when no block of the canonical chain has it
   * @throws {BeforeFirstBlock} when the network is answered from a later one on
   * @throws {NodeError} when no node answers
   */
  async findBlockByHash(hash: string, signal?: AbortSignal): Promise<Block> {
    const known = this.#known.findByHash(hash);
    if (known) return known;
    const height = this.#known.heightOf(hash);
    const canonical =
      height === undefined ? undefined : await this.#findOnce(height, signal).catch(unlessAbove);
    if (canonical) return refuseOther(canonical, hash);
    const { label } = this.#node;
    const named = readBlock(
      label,
      await sendOne(this.#node, 'eth_getBlockByHash', [hash, false], { signal }),
    );
    if (named === null) throw new NotCanonical(hash);
    if (named.hash !== hash) throw otherBlock(label);
    this.#refuseEarly(named.number, 'hash');
    // A node also knows blocks that have been reorganised away.
    return refuseOther(await this.#findReached(named, signal), hash);
  }

  /**
   * The canonical block at the height of one that a node knows: if the chain is lower, another node answered.
   */
  async #findReached({ number }: Block, signal: AbortSignal | undefined): Promise<Block> {
    try {
      return await this.#findOnce(number, signal);
    } catch (cause) {
      if (!(cause instanceof AboveHead)) throw cause;
      throw new NodeError('unknown-block', `${this.#node.label} is behind block ${number}`, { cause });
    }
  }

  async #findOnce(at: BlockQuery, signal: AbortSignal | undefined): Promise<Block> {
    const finding = this.#finding.join(at, async (own) => {
      const outcomes = await this.#node.send(this.#headerCalls(at), { signal: own });
      const receivedAt = this.#clock.now();
      const block = await this.#readHeader(at, outcomes, own);
      this.#known.learn(at, block, receivedAt);
      return block;
    });
    return this.#finding.waitFor(finding, signal);
  }

  /**
   * Asks all items at one block: the newest, the one at a height, or one of an earlier answer.
   * @param signal abandons the question, unless others wait for it too
   * @throws {AboveHead} when the chain has not reached that height
   * @throws {BeforeFirstBlock} when the network is answered from a later one on
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async read(
    at: BlockQuery | Block,
    items: readonly MulticallItem[],
    signal?: AbortSignal,
  ): Promise<Reading> {
    signal?.throwIfAborted();
    if (typeof at === 'object') return this.#readPinned(at, items, signal);
    this.#refuseEarly(at);
    const known = this.#known.find(at);
    if (known === undefined || this.#needsMulticall(at, known)) return this.#openOnce(at, items, signal);
    return this.#readKnown(at, known, items, signal);
  }

  /**
   * Asks each item in a separate eth_call, as a client would: the caller is the zero address, and the origin
   * too. For contracts that fail in a multicall.
   * @param mostGas for each call of a contract; no more than the block's rules allow a call
   * @throws {NodeError}
   */
  async callDirectly(
    block: Block,
    items: readonly MulticallItem[],
    signal?: AbortSignal,
    mostGas = GAS_ALONE,
  ): Promise<readonly MulticallResult[]> {
    if (items.length === 0) return [];
    const gas = Math.min(mostGas, rulesAt(this.#network.rules, block.timestamp).maxGas);
    const calls = encodeDirectCalls(items, pinOf(block), gas).map((call) => ({
      ...call,
      height: block.number,
    }));
    const outcomes = await this.#node.send(calls, { signal, independent: true });
    return this.#state.readDirectCalls(block, items, outcomes);
  }

  /** The number of transactions that an account has sent by each of the blocks. @throws {NodeError} */
  readNonces(address: string, blocks: readonly Block[], signal?: AbortSignal): Promise<readonly number[]> {
    return readNonces(this.#node, address, blocks, signal);
  }

  /**
   * Asks many questions of one caller at one block. They share calls with nothing else, so that they can
   * cost only each other time; each is answered as `read` would answer it. The more questions at
   * once, the fewer requests: several hundred balances share a call, and several calls a request.
   * @param signal abandons all of them
   * @returns the outcomes in the order of the questions: a failure concerns only the questions that shared
   * its call
   */
  async readMany(
    block: Block,
    questions: readonly (readonly MulticallItem[])[],
    signal?: AbortSignal,
  ): Promise<readonly CallOutcome[]> {
    return this.readEach(
      questions.map((items) => ({ block, items })),
      signal,
    );
  }

  /** Asks many questions of one caller as `readMany` does, each at its block. */
  async readEach(
    questions: readonly { readonly block: Block; readonly items: readonly MulticallItem[] }[],
    signal?: AbortSignal,
  ): Promise<readonly CallOutcome[]> {
    const outcomes = await this.#bulk.ask(questions, signal);
    outcomes.forEach((outcome, i) => {
      const block = questions[i]?.block;
      if (block && 'error' in outcome && isDenial(outcome.error)) this.#known.forget(block);
    });
    return outcomes;
  }

  /**
   * Asks one question about many accounts as `readMany` asks many: with fewer objects than accounts.
   * @param signal abandons all of them
   * @returns the values in the order of the accounts: a failure concerns only those that shared its call
   */
  async readColumn(
    block: Block,
    column: Column,
    signal?: AbortSignal,
  ): Promise<readonly (ColumnValue | Failed)[]> {
    const values = await this.#bulk.askColumn({ block, column }, signal);
    if (values.some((value) => typeof value === 'object' && isDenial(value.error))) this.#known.forget(block);
    return values;
  }

  /** Blocks below the first one have another EVM: whatever a node says of them, it is no answer. */
  #refuseEarly(at: BlockQuery, by: 'height' | 'hash' = 'height'): void {
    const { name, firstBlock } = this.#network;
    if (firstBlock === undefined || at === 'latest' || at >= firstBlock) return;
    throw new BeforeFirstBlock(by, `block ${at}`, name, String(firstBlock));
  }

  /**
   * True of the newest block of a chain that is all older than Byzantium: the caller did not know its height, so that the items
   * are those of a multicall, which plain calls may not be able to ask.
   */
  #needsMulticall(at: BlockQuery, block: Block): boolean {
    return at === 'latest' && this.#state.isPlain(block.number);
  }

  /** Opens a block once for all concurrent callers. */
  async #openOnce(at: BlockQuery, items: readonly MulticallItem[], signal?: AbortSignal): Promise<Reading> {
    const opening = this.#opening.join(at, (own) => this.#open(at, items, own));
    const reading = await this.#opening.waitFor(opening, signal);
    if (opening.isFirst) return reading;
    if (this.#needsMulticall(at, reading.block)) return this.#open(at, items, signal);
    return this.#readPinned(reading.block, items, signal);
  }

  /**
   * Reads at a remembered block; reads it again if it was reorganised away or never was canonical.
   */
  async #readKnown(
    at: BlockQuery,
    block: Block,
    items: readonly MulticallItem[],
    signal?: AbortSignal,
  ): Promise<Reading> {
    try {
      return await this.#readPinned(block, items, signal);
    } catch (error) {
      if (!isDenial(error)) throw error;
      return this.#openOnce(at, items, signal);
    }
  }

  async #readPinned(block: Block, items: readonly MulticallItem[], signal?: AbortSignal): Promise<Reading> {
    try {
      return this.#reading(block, await this.#batcher.ask(block, items, signal));
    } catch (error) {
      if (isDenial(error)) this.#known.forget(block);
      throw error;
    }
  }

  /** Header and state of a block that is not known, in one request. */
  async #open(at: BlockQuery, items: readonly MulticallItem[], signal?: AbortSignal): Promise<Reading> {
    const tag = at === 'latest' ? at : numberToQuantity(at);
    const plain = at !== 'latest' && this.#state.isPlain(at);
    const header = this.#headerCalls(at);
    const questions = plain ? encodeDirectCalls(items, tag) : [this.#state.multicall(items, tag)];
    const outcomes = await this.#node.send([...header, ...questions], { signal });
    const receivedAt = this.#clock.now();
    const block = await this.#readHeader(at, outcomes.slice(0, header.length), signal);
    const own = outcomes.slice(header.length);
    let results: readonly MulticallResult[] | undefined;
    if (!plain) results = this.#state.readMulticall(block, items, own[0]);
    // Plain calls do not report their block: by height they can be trusted if it is final.
    else if (this.#known.isFinalized(block)) results = this.#state.readDirectCalls(block, items, own);
    const reading = results ? this.#reading(block, results) : await this.#readPinned(block, items, signal);
    // Only once the block's own state has confirmed the header: a node may be wrong about it.
    this.#known.learn(at, block, receivedAt);
    return reading;
  }

  /** The requested header; now and then the finalized height, together with the head. */
  #headerCalls(at: BlockQuery): RpcCall[] {
    const own = headerCall(at);
    if (!this.#known.finalizedIsOld) return [own];
    return [own, headerCall('finalized'), ...(at === 'latest' ? [] : [HEAD])];
  }

  async #readHeader(
    at: BlockQuery,
    outcomes: readonly RpcOutcome[],
    signal: AbortSignal | undefined,
  ): Promise<Block> {
    const { label } = this.#node;
    const [own, finalized, head] = outcomes;
    // The head may have moved back: a node's word is believed only after a while, so ask.
    if (own && 'error' in own && own.error.kind === 'unknown-block')
      await sendOne(this.#node, 'eth_blockNumber', [], { signal }).catch(() => undefined);
    const block = readBlockAt(label, at, resultOf(own));
    // A node that knows no finalized block answers null or an error.
    if (finalized && 'result' in finalized) {
      const newest = head ? readHead(label, resultOf(head)) : (block?.number ?? -1);
      this.#known.learnFinalized(readBlock(label, finalized.result), newest);
    }
    return block ?? this.#explainMissing(at, signal);
  }

  async #explainMissing(at: BlockQuery, signal: AbortSignal | undefined): Promise<never> {
    const head = readHead(this.#node.label, await sendOne(this.#node, 'eth_blockNumber', [], { signal }));
    const { label } = this.#node;
    if (at === 'latest' || at <= head) {
      throw new NodeError('unknown-block', `${label} has no block ${at}, though its head is ${head}`);
    }
    // One URL may lead to several nodes, some of them behind: a block that was met does exist.
    if (this.#known.hasReached(at)) throw new NodeError('unknown-block', `${label} is behind block ${at}`);
    throw new AboveHead(at, head);
  }

  #reading(block: Block, results: readonly MulticallResult[]): Reading {
    return { block, finalized: this.#known.isFinalized(block), results };
  }
}

/** @throws {NotCanonical} if the canonical block has another hash */
function refuseOther(canonical: Block, hash: string): Block {
  if (canonical.hash !== hash) throw new NotCanonical(hash, canonical);
  return canonical;
}

function unlessAbove(error: unknown): undefined {
  if (!(error instanceof AboveHead)) throw error;
}
