/** Who held a token, request after request. */
import { amountOf, formatUnits } from '../amount.ts';
import { ConnectionError, InvalidAnswer, type ApiError } from '../errors.ts';
import { readRecords } from '../ndjson.ts';
import type { components } from '../openapi.ts';
import { rowErrorOf } from '../row-error.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

type Wire = components['schemas']['TokenHolderRecord'];
type Row = Extract<Wire, { record: 'holder' | 'error' }>;
type End = Extract<Wire, { record: 'end' }>;

/** The token, the block, and what is indexed. */
export type HolderFacts = Extract<Wire, { record: 'facts' }>;

/** A token and a block. */
export interface HeldQuestion extends When {
  /** The token contract. */
  readonly token: string;
  /** One id of an ERC-1155, or of an ERC-721: then the answer is its owner. */
  readonly tokenId?: bigint | number | string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A list of holders. */
export interface HoldersQuestion extends HeldQuestion {
  /** Only holders after this address. */
  readonly after?: string | undefined;
  /** Addresses that a request reads. Default: 10,000 */
  readonly chunk?: number | undefined;
  /**
   * Sends each request while the answer to the previous one still comes, which spares a round trip a request. A list that is left
   * early has paid for one request more. Default: false
   */
  readonly ahead?: boolean | undefined;
  /** Called once, before the first holder. */
  readonly onFacts?: ((facts: HolderFacts) => void) | undefined;
  /** Called once, behind the last holder. */
  readonly onTotals?: ((totals: HolderTotals) => void) | undefined;
}

/** A holder, or an address whose balance could not be read. */
export interface TokenHolder {
  readonly holder: string;
  /** In the token's smallest unit; undefined on an error. */
  readonly balance: bigint | undefined;
  readonly error: ApiError | undefined;
  /** The balance in whole tokens. */
  format(): string;
}

/** The whole list in figures. */
export interface HolderTotals {
  readonly holders: number;
  readonly errors: number;
  /** Of all balances of the list. */
  readonly sum: bigint;
  /** As the contract reports it; null if it reports none. Of a whole list, another sum is a sign to look closer. */
  readonly totalSupply: bigint | null;
}

/** The `after` of the next request, in the header `Link`. */
const NEXT = /[?&]after=(0x[0-9a-fA-F]{40})[&>]/;

/** The answer to one request. */
export interface HoldersPage {
  readonly facts: HolderFacts;
  readonly holders: readonly TokenHolder[];
  /** The `after` of the next request, with the block of this one; null at the end of the list. */
  readonly next: string | null;
  readonly totals: HolderTotals;
}

/** A part of the list: the holders that one request reads. */
export async function holdersPage(transport: Transport, question: HoldersQuestion): Promise<HoldersPage> {
  return transport.retried(question.signal, async () => {
    const request = new HoldersRequest(transport, question, { after: question.after });
    const rows: Row[] = [];
    for await (const row of request.rows()) rows.push(row);
    const { facts, end } = request;
    if (facts === undefined || end === undefined) throw new InvalidAnswer('the answer has no holders');
    return {
      facts,
      holders: rows.map((row) => toHolder(row, facts)),
      next: end.next,
      totals: { ...request.found, totalSupply: amountOf(end.total_supply) },
    };
  });
}

/**
 * Every holder of a token at one block, in the order of addresses. All requests are about the block of the
 * first answer, and of one index. A cut answer is resumed after the last holder that came; counts and sums of each request are
 * checked.
 */
export async function* listHolders(
  transport: Transport,
  question: HoldersQuestion,
): AsyncGenerator<TokenHolder, void> {
  let from: Place = { after: question.after };
  let failures = 0;
  const all = { holders: 0, errors: 0, sum: 0n };
  let ahead: HoldersRequest | undefined;
  const sendAhead = (facts: HolderFacts, after: string): void => {
    if (question.ahead !== true || ahead !== undefined) return;
    ahead = new HoldersRequest(transport, question, { facts, after }, sendAhead);
    ahead.send();
  };
  try {
    for (;;) {
      // One that was cut is resumed behind its last holder: then the list goes on elsewhere.
      if (ahead?.after !== from.after) ahead = ahead?.leave();
      const request = ahead ?? new HoldersRequest(transport, question, from, sendAhead);
      ahead = undefined;
      try {
        for await (const row of request.rows()) {
          const { facts } = request;
          if (facts === undefined) throw new InvalidAnswer('the answer does not begin with its facts');
          yield toHolder(row, facts);
        }
        failures = 0;
      } catch (error) {
        failures = request.last === undefined ? failures + 1 : 1;
        await transport.pauseBeforeRetry(error, failures, question.signal);
      }
      const { found, end, last, facts } = request;
      all.holders += found.holders;
      all.errors += found.errors;
      all.sum += found.sum;
      if (end?.next === null) return question.onTotals?.({ ...all, totalSupply: amountOf(end.total_supply) });
      from = { facts: facts ?? from.facts, after: end?.next ?? last ?? from.after };
    }
  } finally {
    ahead?.leave();
  }
}

/** Beginning of a request: the block of the first answer, and the last holder that is known. */
interface Place {
  readonly facts?: HolderFacts | undefined;
  readonly after: string | undefined;
}

/** The parts of an answer, of which the first was asked for. */
interface Sent {
  readonly parts: AsyncGenerator<Uint8Array, void>;
  readonly first: Promise<IteratorResult<Uint8Array, void>>;
}

/** One request for a part of the list. */
class HoldersRequest {
  facts: HolderFacts | undefined;
  end: End | undefined;
  /** The last address that came. */
  last: string | undefined;
  readonly found = { holders: 0, errors: 0, sum: 0n };
  readonly #transport: Transport;
  readonly #question: HoldersQuestion;
  readonly #from: Place;
  readonly #goesOn: (facts: HolderFacts, after: string) => void;
  readonly #left = new AbortController();
  /** The `after` of the next request, as the head of the answer names it. */
  #next: string | undefined;
  #sent: Sent | undefined;

  /** @param goesOn called as soon as it is known where the next request begins */
  constructor(
    transport: Transport,
    question: HoldersQuestion,
    from: Place,
    goesOn: (facts: HolderFacts, after: string) => void = () => undefined,
  ) {
    this.#transport = transport;
    this.#question = question;
    this.#from = from;
    this.#goesOn = goesOn;
  }

  get after(): string | undefined {
    return this.#from.after;
  }

  /** Sends it, unless it was sent. */
  send(): Sent {
    if (this.#sent !== undefined) return this.#sent;
    const parts = this.#ask();
    const first = parts.next();
    // Its failure is seen where the rows are taken.
    first.catch(() => undefined);
    return (this.#sent = { parts, first });
  }

  /** Its rows are not wanted any more. */
  leave(): undefined {
    this.#left.abort();
    void this.#sent?.parts.return();
  }

  async *#answer(): AsyncGenerator<Uint8Array, void> {
    const { parts, first } = this.send();
    try {
      for (let part = await first; part.done !== true; part = await parts.next()) yield part.value;
    } finally {
      await parts.return();
    }
  }

  async *#ask(): AsyncGenerator<Uint8Array, void> {
    const { chunk, signal } = this.#question;
    const { facts, after } = this.#from;
    const when = facts === undefined ? whenParams(this.#question) : { block_hash: facts.block_hash };
    const question = {
      path: this.#transport.pathTo('listTokenHolders'),
      query: { ...tokenParams(this.#question), ...when, after, limit: chunk },
      accept: 'application/x-ndjson',
      onHeaders: (headers: Headers) => (this.#next = NEXT.exec(headers.get('link') ?? '')?.[1]),
      signal: this.#left.signal,
    };
    // Node 20.0 and browsers before 2024 have no `AbortSignal.any`.
    const stop = (): void => this.#left.abort(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    try {
      yield* this.#transport.stream(question, 1);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async *rows(): AsyncGenerator<Row, void> {
    for await (const record of readRecords<Wire>(this.#answer())) {
      if (record.record === 'facts') this.#begin(record);
      else if (record.record === 'end') return this.#check(record);
      else {
        this.#add(record);
        yield record;
      }
    }
    throw new ConnectionError('the answer was cut');
  }

  #begin(facts: HolderFacts): void {
    const { facts: first } = this.#from;
    if (first === undefined) this.#question.onFacts?.(facts);
    else if (first.block_hash !== facts.block_hash)
      throw new InvalidAnswer(`block ${facts.block_hash} in place of ${first.block_hash}`);
    else if (first.index.from_block !== facts.index.from_block)
      throw new InvalidAnswer(
        `the index begins at block ${facts.index.from_block} in place of ${first.index.from_block}: list the holders again`,
      );
    this.facts = facts;
    if (this.#next !== undefined) this.#goesOn(facts, this.#next);
  }

  #add(row: Row): void {
    const before = this.last ?? this.#from.after;
    if (before !== undefined && row.holder.toLowerCase() <= before.toLowerCase())
      throw new InvalidAnswer(`${row.holder} after ${before}`);
    this.last = row.holder;
    if (row.record === 'error') this.found.errors += 1;
    else {
      this.found.holders += 1;
      this.found.sum += BigInt(row.balance);
    }
  }

  #check(end: End): void {
    const { holders, errors, sum } = this.found;
    if (end.holders !== holders || end.errors !== errors)
      throw new InvalidAnswer(`${holders} holders, and ${end.holders} by the last line`);
    if (BigInt(end.sum) !== sum) throw new InvalidAnswer(`the balances do not add up to ${end.sum}`);
    if (end.next !== null) this.#checkNext(end.next.toLowerCase());
    this.end = end;
  }

  /** The list must go on, or it would have no end. */
  #checkNext(next: string): void {
    const { after = '' } = this.#from;
    if (next <= after.toLowerCase() || next < (this.last ?? '').toLowerCase())
      throw new InvalidAnswer(`the list goes on at ${next}, before its own end`);
  }
}

/** The parameters that name a token. */
export function tokenParams({ token, tokenId }: HeldQuestion) {
  return { token_address: token, token_id: tokenId === undefined ? undefined : String(tokenId) };
}

function toHolder(row: Row, { token_decimals: decimals }: HolderFacts): TokenHolder {
  const balance = row.record === 'error' ? undefined : BigInt(row.balance);
  return {
    holder: row.holder,
    balance,
    error: row.record === 'error' ? rowErrorOf(row.error) : undefined,
    format: () => (balance === undefined ? '' : formatUnits(balance, decimals)),
  };
}
