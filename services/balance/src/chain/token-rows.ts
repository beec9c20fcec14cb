/** Reads a number of each of many tokens at one block, and what the tokens are where it is not zero. */
import type { Network } from '@hindsight/chain/networks.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type {
  CallItem,
  CallResult,
  MulticallItem,
  MulticallResult,
} from '@hindsight/chain/state/multicall/multicall.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import {
  readTokenFacts,
  readUint,
  settleTokenFacts,
  tokenFactsItems,
} from '@hindsight/chain/tokens/token-facts.ts';
import { isToken, type TokenFacts, type TokenType } from '@hindsight/chain/tokens/token.ts';
import type { UnreadReason } from '../domain/unread.ts';
import { resultsOf } from './outcomes.ts';

/** A call about a token that is answered by a number. */
interface Row {
  /** EIP-55. */
  readonly token: string;
  readonly call: CallItem;
  /** True if tokens of this standard answer the call. */
  readonly fits: (type: TokenType) => boolean;
}

interface Answer {
  readonly value: bigint;
  /** All that was answered; the value is its first word. */
  readonly data: Buffer;
}

/** A row with a number that is not zero. */
interface TokenRow<R> extends Answer {
  readonly row: R;
  readonly facts: TokenFacts & { readonly tokenType: TokenType };
}

/** A row of which nothing is known. */
interface UnreadRow<R> {
  readonly row: R;
  readonly reason: UnreadReason;
}

interface TokenRows<R> {
  readonly rows: readonly TokenRow<R>[];
  readonly unread: readonly UnreadRow<R>[];
}

/** Calls that are repeated directly, in all and in one request: each may burn all the gas that a call can have. */
const MAX_PLAIN = 16;

/** Too many contracts can only be read by separate calls. */
class TooManyPlain extends Error {}

export class TokenRowReader {
  readonly #reader: ChainReader;
  readonly #network: Network;

  constructor(reader: ChainReader, network: Network) {
    this.#reader = reader;
    this.#network = network;
  }

  /**
   * Reads the number that each row's call returns. Rows are left out where it is zero, where the token is not there, or
   * where it is a token of a standard without such a call.
   * @throws {NodeError}
   */
  async read<R extends Row>(block: Block, rows: readonly R[], signal: AbortSignal): Promise<TokenRows<R>> {
    const { answers, without } = await this.#readAnswers(block, rows, signal);
    const held = rows.filter((row) => (answers.get(row)?.value ?? 0n) > 0n);
    const facts = await this.#readFacts(block, tokensOf(held), signal);
    const found: TokenRow<R>[] = [];
    const unread: UnreadRow<R>[] = [];
    for (const row of held) {
      const own = facts.get(row.token);
      if (own === undefined) unread.push({ row, reason: 'not_asked' });
      else if (own.tooCostly) unread.push({ row, reason: 'too_costly' });
      else if (isToken(own) && row.fits(own.tokenType)) found.push({ row, facts: own, ...answers.get(row)! });
      else unread.push({ row, reason: 'unclear_standard' });
    }
    const types = await this.#readTypes(block, tokensOf(without.map(({ row }) => row)), signal);
    for (const one of without) {
      const type = types.get(one.row.token) ?? 'none';
      if (type === 'other' || (type !== 'none' && one.row.fits(type))) unread.push(one);
    }
    return { rows: found, unread };
  }

  async #readAnswers<R extends Row>(
    block: Block,
    rows: readonly R[],
    signal: AbortSignal,
  ): Promise<{ answers: ReadonlyMap<R, Answer>; without: readonly UnreadRow<R>[] }> {
    const answers = new Map<R, Answer>();
    const without: UnreadRow<R>[] = [];
    const failed: R[] = [];
    const note = (row: R, result: CallResult): void => {
      const value = readUint(result);
      if (value !== undefined) answers.set(row, { value, data: result.data });
      else without.push({ row, reason: result.outOfGas ? 'too_costly' : 'no_answer' });
    };
    const results = await this.#askMany(
      block,
      rows.map(({ call }) => [call]),
      signal,
    );
    rows.forEach((row, i) => {
      const [result] = results[i] as readonly CallResult[];
      if (result!.status === 'ok') note(row, result!);
      else failed.push(row);
    });
    const again = failed.splice(0, MAX_PLAIN);
    const plain = await this.#reader.callDirectly(
      block,
      again.map(({ call }) => call),
      signal,
    );
    (plain as readonly CallResult[]).forEach((result, i) => note(again[i]!, result));
    without.push(...failed.map((row) => ({ row, reason: 'not_asked' as const })));
    return { answers, without };
  }

  /** The types of contracts as far as shared calls show them: none of these is listed. */
  async #readTypes(
    block: Block,
    tokens: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, TokenFacts['tokenType']>> {
    const results = await this.#askMany(block, tokens.map(tokenFactsItems), signal);
    return new Map(
      tokens.map((token, i) => [token, readTokenFacts(this.#network, token, results[i]!).tokenType]),
    );
  }

  /** Facts of tokens; one that could not be read within bounds is missing. */
  async #readFacts(
    block: Block,
    tokens: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, TokenFacts>> {
    const results = await this.#askMany(block, tokens.map(tokenFactsItems), signal);
    let left = MAX_PLAIN;
    const askDirectly = (items: readonly MulticallItem[]): Promise<readonly MulticallResult[]> => {
      left -= items.length;
      if (left < 0) throw new TooManyPlain();
      return this.#reader.callDirectly(block, items, signal);
    };
    const facts = new Map<string, TokenFacts>();
    const settle = async (token: string, i: number): Promise<void> => {
      try {
        facts.set(token, await settleTokenFacts(this.#network, token, results[i]!, askDirectly));
      } catch (error) {
        if (!(error instanceof TooManyPlain)) throw error;
      }
    };
    await Promise.all(tokens.map(settle));
    return facts;
  }

  /** @throws {unknown} the first error: a part of the rows is no answer */
  async #askMany(
    block: Block,
    questions: readonly (readonly MulticallItem[])[],
    signal: AbortSignal,
  ): Promise<readonly (readonly MulticallResult[])[]> {
    return resultsOf(await this.#reader.readMany(block, questions, signal));
  }
}

function tokensOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.map(({ token }) => token))];
}
