/** Reads tokens: what a contract is, and one number that it stores, at one block. */
import { LRUCache } from 'lru-cache';
import type { Block, BlockQuery } from '@hindsight/chain/state/block.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type {
  CallResult,
  CallItem,
  MulticallItem,
  MulticallResult,
} from '@hindsight/chain/state/multicall/multicall.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import {
  readUint,
  settleTokenFacts,
  tokenFactsItems,
  type TokenFacts,
} from '@hindsight/chain/tokens/token-facts.ts';

/** A token's facts and the number that was asked of it, at one block. */
export interface TokenReading {
  readonly block: Block;
  readonly finalized: boolean;
  readonly facts: TokenFacts;
  /** Undefined where the contract has no such number: it reverted, ran out of gas or answered too little. */
  readonly value: bigint | undefined;
  /** There is no number because to read it takes too much gas. */
  readonly tooCostly: boolean;
}

/** Facts by (token, block) serve every other question about that token at that block. In UTF-16 code units. */
const REMEMBERED_FACTS = 16 * 1024 * 1024;
/** What an entry takes beside its texts. */
const FACTS_OVERHEAD = 160;
/** The zero address. */
const ANY_ACCOUNT = `0x${'0'.repeat(40)}`;
/** `balanceOf(holder)`: an ERC-1155 has no such balance. */
const BALANCE_OF = '0x70a08231';

/** Reads tokens through a chain reader. */
export class TokenReader {
  readonly #reader: ChainReader;
  readonly #network: Network;
  readonly #facts = new LRUCache<string, TokenFacts>({
    maxSize: REMEMBERED_FACTS,
    sizeCalculation: ({ name, symbol }) => name.length + symbol.length + FACTS_OVERHEAD,
  });

  constructor(reader: ChainReader, network: Network) {
    this.#reader = reader;
    this.#network = network;
  }

  /**
   * Reads the token that `call` is addressed to, and the number that the call returns.
   * @param signal abandons the question
   * @throws {AboveHead} when the chain has not reached that height
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async read(at: BlockQuery | Block, call: CallItem, signal?: AbortSignal): Promise<TokenReading> {
    const expected = this.#reader.knownBlock(at);
    const remembered = expected && this.#facts.get(factsKey(expected, call.target));
    const items = remembered ? [call] : [call, ...tokenFactsItems(call.target)];
    const reading = await this.#reader.read(at, items, signal);
    const [result, ...rest] = reading.results;
    const { block, finalized } = reading;
    const facts =
      remembered && block.hash === expected.hash
        ? remembered
        : await this.#settle(block, call.target, rest, signal);
    return { block, finalized, facts, ...(await this.#number(block, call, facts, result, signal)) };
  }

  /**
   * Reads what a token is, at a block or at the one that a query means; no token is read where none is given.
   * @throws {AboveHead} when the chain has not reached that height
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async readFacts(
    at: BlockQuery | Block,
    token: string | undefined,
    signal?: AbortSignal,
  ): Promise<{ block: Block; facts: TokenFacts | undefined }> {
    const known = this.#reader.knownBlock(at);
    const remembered = known && token !== undefined ? this.#facts.get(factsKey(known, token)) : undefined;
    if (remembered && this.#reader.isFinalized(known!)) return { block: known!, facts: remembered };
    const { block, results } = await this.#reader.read(at, itemsOf(token), signal);
    const facts = token === undefined ? undefined : await this.#settle(block, token, results, signal);
    return { block, facts };
  }

  /**
   * What a token is, from answers to `tokenFactsItems` that came along with others.
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async settleFacts(
    block: Block,
    token: string,
    results: readonly MulticallResult[],
    signal?: AbortSignal,
  ): Promise<TokenFacts> {
    return this.#facts.get(factsKey(block, token)) ?? this.#settle(block, token, results, signal);
  }

  /** The number that a call returns at a block, whatever its target is; undefined where there is none. */
  async readNumber(block: Block, call: CallItem, signal?: AbortSignal): Promise<bigint | undefined> {
    const { results } = await this.#reader.read(block, [call], signal);
    return readUint(results[0] as CallResult | undefined) ?? this.readAlone(block, call, signal);
  }

  /**
   * Asks for a number as a plain eth_call does: some contracts need more gas than a shared call gives, write to their
   * storage when they are read, or refuse contracts as callers.
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async readAlone(block: Block, call: CallItem, signal?: AbortSignal): Promise<bigint | undefined> {
    const [result] = await this.#reader.readPlainly(block, [call], signal);
    return readUint(result as CallResult | undefined);
  }

  async #settle(
    block: Block,
    token: string,
    results: readonly MulticallResult[],
    signal: AbortSignal | undefined,
  ): Promise<TokenFacts> {
    // Nothing was asked about the token where a remembered block has been reorganised away in the meantime.
    const answers =
      results.length > 0 ? results : (await this.#reader.read(block, tokenFactsItems(token), signal)).results;
    const facts = await settleTokenFacts(this.#network, token, answers, (items) =>
      this.#reader.readPlainly(block, items, signal),
    );
    this.#facts.set(factsKey(block, token), facts);
    return facts;
  }

  async #number(
    block: Block,
    call: CallItem,
    { type, tooCostly = false }: TokenFacts,
    result: MulticallResult | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Pick<TokenReading, 'value' | 'tooCostly'>> {
    const value = readUint(result as CallResult | undefined);
    const isToken = type === 'erc20' || type === 'erc721' || type === 'erc1155';
    const isNone = !isToken || (type === 'erc1155' && call.data.startsWith(BALANCE_OF));
    if (value !== undefined || isNone) return { value, tooCostly };
    const [again] = (await this.#reader.readPlainly(block, [call], signal)) as readonly CallResult[];
    return { value: readUint(again), tooCostly: again?.outOfGas === true };
  }
}

/** The questions about a token; some question must be asked where there is none, or the block stays unread. */
function itemsOf(token: string | undefined): readonly MulticallItem[] {
  return token === undefined ? [{ kind: 'account', target: ANY_ACCOUNT }] : tokenFactsItems(token);
}

function factsKey(block: Block, token: string): string {
  return `${block.hash}${token}`;
}
