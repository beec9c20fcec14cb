/** Questions whose answers the dev chain's plan knows, and the judgement of what was answered. */
import { largestUnits } from '@hindsight/api/units.ts';
import type { Ledger } from '@hindsight/devchain/ledger.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS, type WorldToken } from '@hindsight/devchain/world.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../simulate/machine/random.ts';
import { holdersAt } from '../support/ledger-holders.ts';

/** `partial`: it says itself that something is missing. */
export type Verdict = 'right' | 'partial' | { readonly fault: string };

/** A question. */
export interface Question {
  readonly path: string;
  /** Its price. */
  readonly units: number;
  /** Judges the text of an answer 200. */
  readonly judge: (text: string) => Verdict;
}

/** A token of the list, as the answer has it. */
export interface ListedToken {
  readonly token_address: string;
  readonly block_height: number;
  readonly token_type: string;
}

/** Address and amount, in the smallest unit, in the order of the answer. */
export type Holding = readonly [holder: string, balance: string];

const ROOT = '/v1/eth-mainnet';
const LARGEST = 5;
const PAGE = 5;
/** Amounts by id in the world's ERC-1155. */
const ITEM_IDS = [0n, 1n, 2n];
/** The dev chain's tokens have fewer holders than one unit more would pay for. */
const LARGEST_UNITS = largestUnits(1);

/** Asks at random. */
export class Questions {
  readonly #ledger: Ledger = buildPlan().ledger;
  readonly #random: Random;
  readonly #listed: readonly ListedToken[];

  /** @param listed all tokens of the list, in its order */
  constructor(random: Random, listed: readonly ListedToken[]) {
    this.#random = random;
    this.#listed = listed;
  }

  /** One of any kind, most often a balance. */
  next(): Question {
    const asked = this.#random.below(20);
    if (asked < 14) return this.balance();
    if (asked < 18) return this.#tokens();
    return asked === 18 ? this.#holders() : this.#largest();
  }

  /** A balance of UNI. */
  balance(): Question {
    const holder = this.#random.pick(Object.values(HOLDERS));
    const token = TOKENS.uni;
    const height = this.#heightOf(token);
    const query = queryOf({ token_address: token.address, holder, block_height: height });
    const balance = String(this.#ledger.balanceAt(token.address, holder, height));
    return {
      path: `${ROOT}/balance/single?${query}`,
      units: 1,
      judge: (text) => judgeBalance(text, balance),
    };
  }

  #tokens(): Question {
    const pages = Math.ceil(this.#listed.length / PAGE);
    const page = 1 + this.#random.below(pages);
    const tokens = this.#listed.slice((page - 1) * PAGE, page * PAGE);
    const truth = { total: this.#listed.length, tokens };
    return {
      path: `${ROOT}/token?${queryOf({ page, limit: PAGE })}`,
      units: 1,
      judge: (text) => judgeTokens(text, truth),
    };
  }

  #holders(): Question {
    const { query, height, truth } = this.#list();
    return {
      path: `${ROOT}/token/holders?${query}`,
      units: 1,
      judge: (text) => judgeHolders(text, height, truth),
    };
  }

  #largest(): Question {
    const { query, height, truth } = this.#list();
    return {
      path: `${ROOT}/token/holders?${query}&order=balance&limit=${LARGEST}`,
      units: LARGEST_UNITS,
      judge: (text) => judgeLargest(text, height, truth),
    };
  }

  #list(): { readonly query: string; readonly height: number; readonly truth: readonly Holding[] } {
    const token: WorldToken = this.#random.pick(Object.values(TOKENS));
    const id = token.standard === 'erc1155' ? this.#random.pick(ITEM_IDS) : undefined;
    const height = this.#heightOf(token);
    const ofId = id === undefined ? {} : { token_id: String(id) };
    return {
      query: queryOf({ token_address: token.address, block_height: height, ...ofId }),
      height,
      truth: holdersAt(this.#ledger, token.address, height, id).map(([holder, amount]): Holding => [
        holder,
        String(amount),
      ]),
    };
  }

  #heightOf({ since }: Pick<WorldToken, 'since'>): number {
    return since + this.#random.below(CHAIN.head - since + 1);
  }
}

export function judgeBalance(text: string, balance: string): Verdict {
  const got = (JSON.parse(text) as { readonly balance?: unknown }).balance;
  return got === balance ? 'right' : { fault: `${JSON.stringify(got)} instead of ${balance}` };
}

interface TokensTruth {
  readonly total: number;
  readonly tokens: readonly ListedToken[];
}

/** A page of the token list, which was complete before. */
export function judgeTokens(text: string, { total, tokens }: TokensTruth): Verdict {
  const page = JSON.parse(text) as TokensTruth;
  if (page.total !== total) return { fault: `${page.total} tokens instead of ${total}` };
  return isDeepStrictEqual(page.tokens.map(keyOf), tokens.map(keyOf))
    ? 'right'
    : { fault: `${JSON.stringify(page.tokens.map(keyOf))} instead of ${JSON.stringify(tokens.map(keyOf))}` };
}

const keyOf = ({ token_address, block_height, token_type }: ListedToken): unknown[] => [
  token_address.toLowerCase(),
  block_height,
  token_type,
];

interface ListRecord {
  readonly record: 'facts' | 'holder' | 'error' | 'end';
  readonly checked_at_block: number;
  readonly index: { readonly complete: boolean };
  readonly holder: string;
  readonly balance: string;
  readonly sum: string;
}

/** A list of holders in the order of addresses. */
export function judgeHolders(text: string, height: number, truth: readonly Holding[]): Verdict {
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ListRecord);
  const [facts, end] = [records[0]!, records.at(-1)!];
  if (end.record !== 'end') return 'partial';
  if (facts.checked_at_block !== height) return { fault: `block ${facts.checked_at_block}` };
  const listed = records.filter(({ record }) => record === 'holder').map(holdingOf);
  const sum = String(listed.reduce((all, [, amount]) => all + BigInt(amount), 0n));
  if (end.sum !== sum) return { fault: `the sum ${end.sum} of ${sum}` };
  const unread = records.filter(({ record }) => record === 'error').length;
  return judgeList(listed, truth, unread === 0 && facts.index.complete);
}

/** The largest holders, of which there are five at the most. */
export function judgeLargest(text: string, height: number, truth: readonly Holding[]): Verdict {
  const answer = JSON.parse(text) as Pick<ListRecord, 'checked_at_block' | 'index'> & {
    readonly holder_count: number;
    readonly errors: number;
    readonly holders: readonly Pick<ListRecord, 'holder' | 'balance'>[];
  };
  if (answer.checked_at_block !== height) return { fault: `block ${answer.checked_at_block}` };
  const isWhole = answer.errors === 0 && answer.index.complete;
  if (isWhole && answer.holder_count !== truth.length)
    return { fault: `${answer.holder_count} holders instead of ${truth.length}` };
  const bySize = truth.toSorted(([, one], [, other]) =>
    BigInt(one) > BigInt(other) ? -1 : one === other ? 0 : 1,
  );
  const listed = answer.holders.map(holdingOf);
  return isWhole ? judgeList(listed, bySize.slice(0, LARGEST), true) : judgeList(listed, truth, false);
}

const holdingOf = ({ holder, balance }: Pick<ListRecord, 'holder' | 'balance'>): Holding => [holder, balance];

function judgeList(listed: readonly Holding[], truth: readonly Holding[], isWhole: boolean): Verdict {
  const amounts = new Map(truth.map(([holder, amount]) => [holder.toLowerCase(), amount]));
  for (const [holder, balance] of listed) {
    const amount = amounts.get(holder.toLowerCase()) ?? '0';
    if (amount !== balance) return { fault: `${balance} of ${holder} instead of ${amount}` };
  }
  if (!isWhole) return 'partial';
  const order = (list: readonly Holding[]): string => list.map(([holder]) => holder.toLowerCase()).join();
  return order(listed) === order(truth)
    ? 'right'
    : { fault: `a complete list has ${listed.length} holders instead of ${truth.length}, or another order` };
}

function queryOf(query: Readonly<Record<string, string | number>>): string {
  return new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
  ).toString();
}
