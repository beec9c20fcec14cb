import type { BodyRows, RawRow } from '@hindsight/api/body-rows.ts';
import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import type { Readable } from 'node:stream';
import type { ByteBudget, Claim } from './byte-budget.ts';
import { KeptBytes, MEMORY_PER_BYTE } from './kept-bytes.ts';

/** Bytes read from the connection ahead of the requested rows. */
const AHEAD_BYTES = 256 * 1024;

export interface BodyReading<Row> {
  readonly rows: BodyRows;
  /** Makes of a row what is kept of it; called as the row comes. */
  readonly toRow: (raw: RawRow) => Row;
  /** Bytes of the whole body. */
  readonly length: number;
  /** Of the process. */
  readonly budget: ByteBudget;
  /** Longest wait for the next bytes. */
  readonly stalledMs: number;
}

/**
 * Takes rows off a body on demand: it reads no more than needed. Only while nothing else moves can all of it
 * be read without work on it: a client may send everything before it reads anything, and a disconnect is only
 * noticed while reading. The process's budget bounds the memory held then: a body waits until all of it has room.
 */
export class BodyReader<Row> {
  readonly #body: Readable;
  readonly #how: BodyReading<Row>;
  readonly #kept = new KeptBytes();
  /** Bytes that have not come yet. */
  #expected: number;
  /** Of the budget, for all that is kept or still comes. */
  #claim: Claim | undefined;
  #rows: Row[] = [];
  #end: 'complete' | Error | undefined;
  #takesAll = false;
  #isDiscarded = false;
  #receivedAt = performance.now();
  #wake: () => void = () => undefined;

  constructor(body: Readable, how: BodyReading<Row>) {
    this.#body = body;
    this.#how = how;
    this.#expected = how.length;
    const ended = (end: 'complete' | Error) => () => {
      this.#end ??= end;
      this.#wake();
    };
    body.on('data', (chunk: Buffer) => {
      this.#receivedAt = performance.now();
      this.#kept.push(chunk);
      this.#expected -= chunk.length;
      this.#adjust();
      this.#wake();
    });
    body.once('end', ended('complete'));
    body.once('error', ended(badRequest('body: it is not complete', 'invalid_body')));
    body.once('close', ended(badRequest('body: it is not complete', 'invalid_body')));
  }

  /** True while all of the body is to be read now. */
  set takesAll(takesAll: boolean) {
    this.#takesAll = takesAll;
    this.#adjust();
  }

  /** When the last bytes came, or room for more was found, by `performance.now()`. */
  get receivedAt(): number {
    return this.#isInLine ? performance.now() : this.#receivedAt;
  }

  /** It is the budget that is waited for, not the client. */
  get #isInLine(): boolean {
    return this.#claim?.isGranted === false;
  }

  /** The line at which the body is refused for its blank lines; undefined where it is not. */
  get refusedAt(): number | undefined {
    const { rows } = this.#how;
    return rows.isRefused ? rows.line - 1 : undefined;
  }

  /** True if the body has any rows. @throws {ApiError} as `take` */
  async hasRows(): Promise<boolean> {
    while (this.#rows.length === 0 && (await this.#readOn()));
    return this.#rows.length > 0;
  }

  /** Lets the rest of the body pass: nothing of it is kept, and the connection can be used further. */
  discard(): void {
    if (this.#isDiscarded) return;
    this.#isDiscarded = true;
    this.#body.removeAllListeners('data');
    this.#kept.clear();
    this.#giveUp();
    this.#body.resume();
  }

  /**
   * The next rows: as many as asked for, and fewer only at the end of the body, or of what is read of it; none once it is
   * over.
   * @throws {ApiError} 400 for a body that is not complete; 408 for one that does not come
   */
  async take(count: number): Promise<readonly Row[]> {
    while (this.#rows.length < count && (await this.#readOn()));
    const taken = this.#rows.slice(0, count);
    this.#rows = this.#rows.slice(count);
    return taken;
  }

  /** @returns true if there may be more to read */
  async #readOn(): Promise<boolean> {
    const { rows, toRow } = this.#how;
    if (rows.isRefused) return false;
    if (this.#kept.length === 0 && this.#end === undefined) await this.#nextBytes();
    const chunk = this.#kept.shift();
    const keep = (raw: RawRow): void => void this.#rows.push(toRow(raw));
    if (chunk !== undefined) {
      this.#adjust();
      rows.push(chunk, keep);
      // Parts that came ahead would else be read in one turn.
      await nextTurn();
      return true;
    }
    if (this.#end !== 'complete') throw this.#end ?? new TypeError('bytes or an end were waited for');
    const before = rows.rows;
    rows.end(keep);
    return rows.rows > before;
  }

  async #nextBytes(): Promise<void> {
    const { stalledMs } = this.#how;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      this.#wake = resolve;
      const late = new ApiError('request_timeout', `body: nothing of it came for ${stalledMs / 1_000} s`);
      timer = setTimeout(() => reject(late), stalledMs);
    });
    clearTimeout(timer);
  }

  readonly #adjust = (): void => {
    if (this.#isDiscarded) return;
    const { budget } = this.#how;
    const isAhead = this.#kept.length >= AHEAD_BYTES;
    const claimed = this.#claim;
    const isNeeded = claimed?.isGranted === true ? this.#takesAll || isAhead : this.#takesAll && isAhead;
    if (!isNeeded) this.#giveUp();
    else if (claimed !== undefined) budget.shrink(claimed, Math.min(this.#needed, claimed.bytes));
    else if (this.#expected > 0) this.#claim = budget.claim(this.#needed, this.#granted);
    if (!isAhead || (this.#takesAll && this.#claim?.isGranted === true)) this.#body.resume();
    else this.#body.pause();
  };

  readonly #granted = (): void => {
    this.#receivedAt = performance.now();
    this.#adjust();
  };

  #giveUp(): void {
    if (this.#claim === undefined) return;
    const claim = this.#claim;
    this.#claim = undefined;
    this.#how.budget.shrink(claim, 0);
  }

  get #needed(): number {
    return Math.ceil((this.#expected + this.#kept.length) * MEMORY_PER_BYTE);
  }
}
