/** The list of tokens that the index must have, and whether an answer agrees with it. */
import { FIRST, NOT_FINAL, TOKENS, type Chain } from './chain/blocks.ts';
import { newcomerAt } from './chain/newcomers.ts';

/** A token of the list. */
interface Listed {
  readonly address: string;
  readonly block: number;
}

/** A token as answers have it. */
export interface Entry {
  readonly token_address: string;
  readonly block_height: number;
  readonly name: string;
}

/** A page as it is answered. */
export interface Page {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly tokens: readonly Entry[];
}

export class TokenList {
  readonly #chain: Chain;
  readonly #all: Listed[] = [];
  readonly #seen = new Set<string>();
  #next = FIRST;
  /** The most tokens that an answer had: no later one may have fewer. */
  mostListed = 0;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** Tokens of final blocks, in the order of the list. */
  get final(): readonly Listed[] {
    const height = this.#chain.tip.number - NOT_FINAL;
    for (; this.#next <= height; this.#next++) this.#take(this.#next);
    const end = this.#all.findIndex(({ block }) => block > height);
    return end < 0 ? this.#all : this.#all.slice(0, end);
  }

  /** @param before the most tokens that were answered before it was asked for */
  falsehoodInPage({ page, limit, total, tokens }: Page, before: number): string | undefined {
    const { final } = this;
    if (total < before) return `a list of ${total} tokens, after one of ${before}`;
    if (total > final.length) return `a list of ${total} tokens, ${final.length} are final`;
    const rows = final.slice(0, total).slice((page - 1) * limit, page * limit);
    if (tokens.length !== rows.length) return `${tokens.length} tokens on a page of ${rows.length}`;
    this.mostListed = Math.max(this.mostListed, total);
    return rows
      .map((row, at) => this.#falsehoodIn(tokens[at]!, row))
      .find((falsehood) => falsehood !== undefined);
  }

  /** @param place of the token on the list, from 0 */
  falsehoodInToken(token: Entry | undefined, place: number, before: number): string | undefined {
    const row = this.final[place]!;
    if (token !== undefined) return this.#falsehoodIn(token, row);
    return place < before ? `404 for the token ${row.address}, which was listed before` : undefined;
  }

  #falsehoodIn(
    { token_address: address, block_height: block, name }: Entry,
    row: Listed,
  ): string | undefined {
    if (address !== row.address || block !== row.block)
      return `the list has ${address} of block ${block} where ${row.address} of block ${row.block} belongs`;
    const is = newcomerAt(address)?.nameAt(this.#chain.tip.number) ?? '';
    return name === '' || name === is ? undefined : `the token ${address} is named "${name}", not "${is}"`;
  }

  #take(height: number): void {
    const contracts = new Set(this.#chain.at(height)!.transfers.map(({ token }) => token));
    const isNew = (address: string): boolean =>
      !this.#seen.has(address) && (TOKENS.includes(address) || newcomerAt(address)?.isToken === true);
    for (const address of [...contracts].filter(isNew).sort()) {
      this.#seen.add(address);
      this.#all.push({ address, block: height });
    }
  }
}
