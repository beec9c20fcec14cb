/** Reads tokens: what a contract is, and one number that it stores, at one block. */
import { ApiError } from '@hindsight/kernel/errors.ts';
import { LRUCache } from 'lru-cache';
import type { Block, BlockQuery } from '@hindsight/chain/state/block.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { CallResult, CallItem, MulticallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import {
  readUint,
  settleTokenFacts,
  tokenFactsItems,
  usesUpGas,
} from '@hindsight/chain/tokens/token-facts.ts';
import { isToken, type TokenFacts } from '@hindsight/chain/tokens/token.ts';
import type { TokenReading } from '../domain/token.ts';

/** Facts by (token, block) serve every other question about that token at that block. In UTF-16 code units. */
const REMEMBERED_FACTS = 16 * 1024 * 1024;
/** Memory of an entry in addition to its texts. */
const FACTS_OVERHEAD = 160;
/** `balanceOf(holder)`: an ERC-1155 has no such balance. */
const BALANCE_OF = '0x70a08231';

/** Contracts of one request that may be asked directly though they used up the gas of a shared call. */
const MAX_COSTLY = 16;

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
  async read(
    at: BlockQuery | Block,
    call: CallItem,
    signal?: AbortSignal,
  ): Promise<TokenReading & { readonly block: Block }> {
    const expected = this.#reader.knownBlock(at);
    const remembered = expected && this.#facts.get(factsKey(expected, call.target));
    const items = remembered ? [call] : [call, ...tokenFactsItems(call.target)];
    const { block, results } = await this.#reader.read(at, items, signal);
    const [result, ...rest] = results;
    const facts =
      remembered && block.hash === expected.hash
        ? remembered
        : await this.#settle(block, call.target, rest, signal);
    return { ...facts, block, ...(await this.#number(block, call, facts, result, signal)) };
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
    let costly = 0;
    const settled = unknown.map(async (token, i) => {
      const outcome = outcomes[i] ?? { results: [] };
      if ('error' in outcome) return [token, outcome] as const;
      if (usesUpGas(outcome.results) && ++costly > MAX_COSTLY)
        return [token, { error: tooCostly(token) }] as const;
      const facts = this.#settle(block, token, outcome.results, signal);
      return [token, await facts.catch((error: unknown) => ({ error }))] as const;
    });
    const read = new Map(await Promise.all(settled));
    return tokens.map((token) => read.get(token) ?? this.#facts.get(factsKey(block, token))!);
  }

  /**
   * A token's facts, from answers to `tokenFactsItems` that came along with others.
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

  /**
   * The number that a call returns at a block, whatever its target is; undefined where there is none.
   * @throws {NodeError} when no node answers, or none has the state of that block
   */
  async readNumber(block: Block, call: CallItem, signal?: AbortSignal): Promise<bigint | undefined> {
    const { results } = await this.#reader.read(block, [call], signal);
    const value = readUint(results[0]);
    if (value !== undefined) return value;
    // As a plain eth_call: some contracts need more gas than a shared call gives, write to their storage when they are read,
    // or refuse contracts as callers.
    const [again] = await this.#reader.callDirectly(block, [call], signal);
    return readUint(again);
  }

  async #settle(
    block: Block,
    token: string,
    results: readonly MulticallResult[],
    signal: AbortSignal | undefined,
  ): Promise<TokenFacts> {
    // The token was not queried if a remembered block has been reorganised away in the meantime.
    const answers =
      results.length > 0 ? results : (await this.#reader.read(block, tokenFactsItems(token), signal)).results;
    const facts = await settleTokenFacts(this.#network, token, answers, (items) =>
      this.#reader.callDirectly(block, items, signal),
    );
    this.#facts.set(factsKey(block, token), facts);
    return facts;
  }

  async #number(
    block: Block,
    call: CallItem,
    facts: TokenFacts,
    result: MulticallResult | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Pick<TokenReading, 'value' | 'tooCostly'>> {
    const value = readUint(result);
    const hasNone = !isToken(facts) || (facts.tokenType === 'erc1155' && call.data.startsWith(BALANCE_OF));
    if (value !== undefined || hasNone) return { value, tooCostly: facts.tooCostly };
    const [again] = (await this.#reader.callDirectly(block, [call], signal)) as readonly CallResult[];
    return { value: readUint(again), tooCostly: again?.outOfGas === true };
  }
}

function tooCostly(token: string): ApiError {
  return new ApiError(
    'call_too_costly',
    `The contract at ${token} uses up all gas, as others before in this request; ask for it alone`,
  );
}

function factsKey(block: Block, token: string): string {
  return `${block.hash}${token}`;
}
