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
  readUint,
  settleTokenFacts,
  tokenFactsItems,
  type TokenFacts,
} from '@hindsight/chain/tokens/token-facts.ts';

/** A row with a number that is not zero. */
interface TokenRow<R> {
  readonly row: R;
  readonly facts: TokenFacts;
  readonly value: bigint;
}

interface TokenRows<R> {
  readonly rows: readonly TokenRow<R>[];
  /** Rows that could not be read within bounds. */
  readonly unread: readonly R[];
}

/** Calls that are repeated plainly, in all and in one request: each may burn all the gas that a call can have. */
const MAX_PLAIN = 16;

/** There were too many contracts that can only be read by a call of their own. */
class TooManyPlain extends Error {}

/** Reads rows of one network. */
export class TokenRowReader {
  readonly #reader: ChainReader;
  readonly #network: Network;

  constructor(reader: ChainReader, network: Network) {
    this.#reader = reader;
    this.#network = network;
  }

  /**
   * Reads the number that each row's call returns. Rows without a number, and of contracts that are no tokens, are left
   * out, as those with zero are.
   * @throws {NodeError}
   */
  async read<R extends { readonly call: CallItem }>(
    block: Block,
    rows: readonly R[],
    signal: AbortSignal,
  ): Promise<TokenRows<R>> {
    const { values, failed } = await this.#readValues(block, rows, signal);
    const held = rows.filter((row) => (values.get(row) ?? 0n) > 0n);
    const facts = await this.#readFacts(block, [...new Set(held.map(({ call }) => call.target))], signal);
    const found: TokenRow<R>[] = [];
    const unread = [...failed];
    for (const row of held) {
      const own = facts.get(row.call.target);
      if (own === undefined || own.tooCostly) unread.push(row);
      else if (own.type !== 'none' && own.type !== 'other')
        found.push({ row, facts: own, value: values.get(row)! });
    }
    return { rows: found, unread };
  }

  async #readValues<R extends { readonly call: CallItem }>(
    block: Block,
    rows: readonly R[],
    signal: AbortSignal,
  ): Promise<{ values: ReadonlyMap<R, bigint>; failed: readonly R[] }> {
    const values = new Map<R, bigint>();
    const failed: R[] = [];
    const note = (row: R, result: CallResult): void => {
      const value = readUint(result);
      if (value !== undefined) values.set(row, value);
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
    const plain = await this.#reader.readPlainly(
      block,
      again.map(({ call }) => call),
      signal,
    );
    (plain as readonly CallResult[]).forEach((result, i) => {
      if (result.outOfGas) failed.push(again[i]!);
      else note(again[i]!, result);
    });
    return { values, failed };
  }

  /** What tokens are; one that could not be read within bounds is missing. */
  async #readFacts(
    block: Block,
    tokens: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, TokenFacts>> {
    const results = await this.#askMany(block, tokens.map(tokenFactsItems), signal);
    let left = MAX_PLAIN;
    const askPlainly = (items: readonly MulticallItem[]): Promise<readonly MulticallResult[]> => {
      left -= items.length;
      if (left < 0) throw new TooManyPlain();
      return this.#reader.readPlainly(block, items, signal);
    };
    const facts = new Map<string, TokenFacts>();
    const settle = async (token: string, i: number): Promise<void> => {
      try {
        facts.set(token, await settleTokenFacts(this.#network, token, results[i]!, askPlainly));
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
    const outcomes = await this.#reader.readMany(block, questions, signal);
    return outcomes.map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return outcome.results;
    });
  }
}
