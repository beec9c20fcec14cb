import { formatUnits } from '../amount.ts';
import { ConnectionError, InvalidAnswer, type ApiError } from '../errors.ts';
import { readRecords } from '../ndjson.ts';
import type { components } from '../openapi.ts';
import { rowErrorOf } from '../row-error.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

type Wire = components['schemas']['BalanceSnapshotRecord'];
type Facts = Extract<Wire, { record: 'facts' }>;
type End = Extract<Wire, { record: 'end' }>;
type Row = Extract<Wire, { record: 'balance' | 'error' }>;

/** Tokens and a block. */
export interface SnapshotQuestion extends When {
  /** The token contract, `native` for ether, or up to ten of them. */
  readonly token: string | readonly string[];
  /** Holders in a request. Default: 10,000 */
  readonly chunk?: number | undefined;
  /** With `storage`, for one token or ether, the records have proofs: `onRecord` gets them for `verifySnapshot`. */
  readonly proof?: 'storage' | undefined;
  /**
   * Called for each record of the server as it comes, before its row: written as lines of JSON, they are a file that can be
   * verified later. It has a part with its own `facts` for each request: of a long list, or repeated after a cut.
   */
  readonly onRecord?: ((record: Wire) => void) | undefined;
  /** Called once, before the first row: the block and the tokens. */
  readonly onFacts?: ((facts: Facts) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A holder's balances, or the error of the row. */
export interface SnapshotRow {
  /** The address; the holder as given if the whole row has an error. */
  readonly holder: string;
  /** In the smallest unit, by token; a token without an answer is not in it. */
  readonly balances: ReadonlyMap<string, bigint>;
  /** The balance if the snapshot is of one token; undefined on an error. */
  readonly balance: bigint | undefined;
  /** The first error of the row. */
  readonly error: ApiError | undefined;
  /** The balance in whole tokens, if the snapshot is of one token. */
  format(): string;
}

/** The block and the tokens of the first answer. */
interface Pin {
  readonly facts: Facts;
  readonly when: { readonly block_hash: string };
}

/**
 * Balances of many holders at one block, in their order. All requests are about the block of the first
 * answer. A cut answer is resumed at the row where it was cut; counts and sums of each request are checked.
 * @param holders addresses or ENS names: an array, an iterable or a stream of any length
 */
export async function* snapshot(
  transport: Transport,
  holders: Iterable<string> | AsyncIterable<string>,
  question: SnapshotQuestion,
): AsyncGenerator<SnapshotRow, void> {
  const tokens = [question.token].flat();
  let pin: Pin | undefined;
  for await (const part of inChunks(holders, question.chunk ?? 10_000)) {
    let rest = part;
    let failures = 0;
    while (rest.length > 0) {
      const request = new SnapshotRequest(transport, question, tokens, pin, rest);
      try {
        for await (const row of request.rows()) yield toRow(row, tokens, request.pin?.facts);
        break;
      } catch (error) {
        failures = request.received > 0 ? 1 : failures + 1;
        await transport.pauseBeforeRetry(error, failures, question.signal);
        rest = rest.slice(request.received);
      } finally {
        pin ??= request.pin;
      }
    }
  }
}

/** One request for some of the holders. */
class SnapshotRequest {
  /** Rows that were yielded before the last one, which comes with the end. */
  received = 0;
  pin: Pin | undefined;
  /** Rows that came. */
  #read = 0;
  readonly #transport: Transport;
  readonly #question: SnapshotQuestion;
  readonly #tokens: readonly string[];
  readonly #holders: readonly string[];
  readonly #sums: Map<string, bigint>;

  constructor(
    transport: Transport,
    question: SnapshotQuestion,
    tokens: readonly string[],
    pin: Pin | undefined,
    holders: readonly string[],
  ) {
    this.#transport = transport;
    this.#question = question;
    this.#tokens = tokens;
    this.#holders = holders;
    this.pin = pin;
    this.#sums = new Map(tokens.map((token) => [token, 0n]));
  }

  async *rows(): AsyncGenerator<Row, void> {
    const { signal, proof, onRecord } = this.#question;
    const bytes = this.#transport.stream(
      {
        method: 'POST',
        path: this.#transport.pathTo('getBalanceSnapshot'),
        query: {
          token_address: this.#tokens,
          ...(this.pin?.when ?? whenParams(this.#question)),
          ...(proof && { proof }),
        },
        body: { type: 'text/plain', text: `${this.#holders.join('\n')}\n` },
        accept: 'application/x-ndjson',
        signal,
      },
      1,
    );
    /** Kept until the end has come: an answer that is cut between the two is asked for again, with this row. */
    let last: Row | undefined;
    for await (const record of readRecords<Wire>(bytes)) {
      if (record.record === 'end') {
        this.#check(record);
        if (last) onRecord?.(last);
        onRecord?.(record);
        if (last) yield last;
        return;
      }
      if (record.record === 'facts' || record.record === 'nodes') {
        onRecord?.(record);
        if (record.record === 'facts') this.#begin(record);
        continue;
      }
      this.#add(record);
      if (this.#read === this.#holders.length) last = record;
      else {
        onRecord?.(record);
        this.received += 1;
        yield record;
      }
    }
    throw new ConnectionError('the answer was cut');
  }

  #begin(facts: Facts): void {
    if (this.pin === undefined) this.#question.onFacts?.(facts);
    else if (this.pin.facts.block_hash !== facts.block_hash)
      throw new InvalidAnswer(`block ${facts.block_hash} in place of ${this.pin.facts.block_hash}`);
    this.pin ??= { facts, when: { block_hash: facts.block_hash } };
  }

  #add(row: Row): void {
    // It is about the body, which has more rows than a request takes, and takes the place of a row.
    if (row.record === 'error' && row.error.statusCode === 413) throw rowErrorOf(row.error);
    this.#read += 1;
    if (row.line !== this.#read) throw new InvalidAnswer(`line ${row.line} in place of ${this.#read}`);
    if (this.#read > this.#holders.length)
      throw new InvalidAnswer(`line ${row.line}, though ${this.#holders.length} were asked for`);
    for (const [token, amount] of amountsOf(row, this.#tokens))
      this.#sums.set(token, (this.#sums.get(token) ?? 0n) + amount);
  }

  #check({ holders, sum }: End): void {
    if (holders !== this.#read || holders !== this.#holders.length)
      throw new InvalidAnswer(
        `${this.#read} of ${this.#holders.length} rows, and ${holders} by the last line`,
      );
    const sums = typeof sum === 'string' ? { [this.#tokens[0] ?? '']: sum } : sum;
    for (const [token, total] of Object.entries(sums))
      if (this.#sums.get(asAsked(token, this.#tokens)) !== BigInt(total))
        throw new InvalidAnswer(`the balances of ${token} do not add up to ${total}`);
  }
}

function* amountsOf(row: Row, tokens: readonly string[]): Generator<[token: string, amount: bigint]> {
  if (row.record === 'error') return;
  if (row.balance !== undefined) yield [tokens[0] ?? '', BigInt(row.balance)];
  for (const [token, amount] of Object.entries(row.balances ?? {}))
    if (amount !== null) yield [asAsked(token, tokens), BigInt(amount)];
}

/** The API writes addresses with their checksum; callers get their own spelling back. */
function asAsked(token: string, tokens: readonly string[]): string {
  return tokens.find((asked) => asked.toLowerCase() === token.toLowerCase()) ?? token;
}

function toRow(row: Row, tokens: readonly string[], facts: Facts | undefined): SnapshotRow {
  const balances = new Map(amountsOf(row, tokens));
  const wire = row.record === 'error' ? row.error : Object.values(row.errors ?? {})[0];
  const balance = tokens.length === 1 ? [...balances.values()][0] : undefined;
  return {
    holder: row.holder,
    balances,
    balance,
    error: wire && rowErrorOf(wire),
    format: () =>
      balance === undefined ? '' : formatUnits(balance, facts?.tokens[0]?.token_decimals ?? null),
  };
}

async function* inChunks(
  holders: Iterable<string> | AsyncIterable<string>,
  size: number,
): AsyncGenerator<string[], void> {
  let chunk: string[] = [];
  for await (const holder of holders) {
    const text = holder.trim();
    if (text === '' || text.includes('\n'))
      throw new TypeError('a holder is an address or a name, and not empty');
    chunk.push(text);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}
