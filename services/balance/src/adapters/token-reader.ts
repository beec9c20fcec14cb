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
}

/** Facts by (token, block) serve every other question about that token at that block. */
const REMEMBERED_FACTS = 100_000;
/** Gas for a question asked alone: more than in a shared call, less than nodes allow. */
const GAS_ALONE = 25_000_000;

/** Reads tokens through a chain reader. */
export class TokenReader {
  readonly #reader: ChainReader;
  readonly #network: Network;
  readonly #facts = new LRUCache<string, TokenFacts>({ max: REMEMBERED_FACTS });

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
    return { block, finalized, facts, value: await this.#number(block, call, facts, result, signal) };
  }

  /**
   * Reads what a token is, at a block or at the one that a query means.
   * @throws {AboveHead} when the chain has not reached that height
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async readFacts(
    at: BlockQuery | Block,
    token: string,
    signal?: AbortSignal,
  ): Promise<{ readonly block: Block; readonly facts: TokenFacts }> {
    const known = this.#reader.knownBlock(at);
    if (known && this.#reader.isFinalized(known)) {
      const facts = this.#facts.get(factsKey(known, token));
      if (facts) return { block: known, facts };
    }
    const { block, results } = await this.#reader.read(at, tokenFactsItems(token), signal);
    return { block, facts: await this.#settle(block, token, results, signal) };
  }

  /** Reads what many tokens are, for one caller. @returns for each token its facts, or why they could not be read */
  async readManyFacts(
    block: Block,
    tokens: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (TokenFacts | { readonly error: unknown })[]> {
    const unknown = tokens.filter((token) => !this.#facts.has(factsKey(block, token)));
    const outcomes = await this.#reader.readMany(block, unknown.map(tokenFactsItems), signal);
    const settled = unknown.map(async (token, i) => {
      const outcome = outcomes[i] ?? { results: [] };
      if ('error' in outcome) return [token, outcome] as const;
      const facts = this.#settle(block, token, outcome.results, signal);
      return [token, await facts.catch((error: unknown) => ({ error }))] as const;
    });
    const read = new Map(await Promise.all(settled));
    return tokens.map((token) => read.get(token) ?? this.#facts.get(factsKey(block, token))!);
  }

  async #settle(
    block: Block,
    token: string,
    results: readonly MulticallResult[],
    signal: AbortSignal | undefined,
  ): Promise<TokenFacts> {
    const ask = async (items: readonly MulticallItem[]): Promise<readonly MulticallResult[]> =>
      (await this.#reader.read(block, items, signal)).results;
    // Nothing was asked about the token where a remembered block has been reorganised away in the meantime.
    const answers = results.length > 0 ? results : await ask(tokenFactsItems(token));
    const facts = await settleTokenFacts(this.#network, token, answers, ask);
    this.#facts.set(factsKey(block, token), facts);
    return facts;
  }

  /**
   * Some contracts need more gas than a shared call gives, or write to their storage when they are read: a question
   * that failed in a shared call is repeated alone, as a plain eth_call.
   */
  async #number(
    block: Block,
    call: CallItem,
    facts: TokenFacts,
    result: MulticallResult | undefined,
    signal: AbortSignal | undefined,
  ): Promise<bigint | undefined> {
    const value = readUint(result as CallResult | undefined);
    if (value !== undefined || facts.type === 'none' || facts.type === 'erc1155') return value;
    const { results } = await this.#reader.read(block, [asPlainCall(call)], signal);
    return readUint(results[0] as CallResult | undefined);
  }
}

/** A question that is to be asked alone, as a plain eth_call would: with more gas, and free to write. */
export function asPlainCall(call: CallItem): CallItem {
  return { ...call, gas: GAS_ALONE, plain: true };
}

function factsKey(block: Block, token: string): string {
  return `${block.hash}${token}`;
}
