import type { Readable } from 'node:stream';
import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import type { BodyLines, BodyRow } from './body-lines.ts';

/** What is taken from the connection ahead of the rows that are asked for. */
const AHEAD_BYTES = 256 * 1024;

/**
 * Takes rows off a body as they are asked for: no more of it is read than is needed. Only while nothing else moves, all
 * of it can be taken in without being worked on: a client may send everything before it reads anything, and one that has
 * left is noticed only by reading. The body's length bounds what is kept then.
 */
export class BodyReader {
  readonly #body: Readable;
  readonly #lines: BodyLines;
  readonly #stalledMs: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #rows: BodyRow[] = [];
  /** How the body ended. */
  #end: 'complete' | Error | undefined;
  #takesAll = false;
  #wake: () => void = () => undefined;

  /** @param stalledMs how long to wait for the next bytes, at the most */
  constructor(body: Readable, lines: BodyLines, stalledMs: number) {
    this.#body = body;
    this.#lines = lines;
    this.#stalledMs = stalledMs;
    const ended = (end: 'complete' | Error) => () => {
      this.#end ??= end;
      this.#wake();
    };
    body.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      this.#adjust();
      this.#wake();
    });
    body.once('end', ended('complete'));
    body.once('error', ended(badRequest('body: it is not complete', 'invalid_body')));
    body.once('close', ended(badRequest('body: it is not complete', 'invalid_body')));
  }

  /** Whether all of the body is to be taken in now. */
  set takesAll(takesAll: boolean) {
    this.#takesAll = takesAll;
    this.#adjust();
  }

  /** Whether the body has any rows. @throws {ApiError} as `take` */
  async hasRows(): Promise<boolean> {
    while (this.#rows.length === 0 && (await this.#readOn()));
    return this.#rows.length > 0;
  }

  /** Lets the rest of the body pass: nothing of it is kept, and the connection can be used further. */
  discard(): void {
    this.#body.removeAllListeners('data');
    this.#chunks.length = 0;
    this.#body.resume();
  }

  /**
   * The next rows: as many as asked for, and fewer only at the end of the body; none once it is over.
   * @throws {ApiError} 400 for a body that is not complete; 408 for one that does not come
   */
  async take(count: number): Promise<readonly BodyRow[]> {
    while (this.#rows.length < count && (await this.#readOn()));
    const taken = this.#rows.slice(0, count);
    this.#rows = this.#rows.slice(count);
    return taken;
  }

  /** @returns whether there is more to read */
  async #readOn(): Promise<boolean> {
    if (this.#chunks.length === 0 && this.#end === undefined) await this.#nextBytes();
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#bytes -= chunk.length;
      this.#adjust();
      for (const row of this.#lines.push(chunk)) this.#rows.push(row);
      return true;
    }
    if (this.#end !== 'complete') throw this.#end ?? new TypeError('bytes or an end were waited for');
    const last = this.#lines.end();
    this.#rows.push(...last);
    return last.length > 0;
  }

  async #nextBytes(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      this.#wake = resolve;
      const late = new ApiError(
        'request_timeout',
        `body: nothing of it came for ${this.#stalledMs / 1_000} s`,
      );
      timer = setTimeout(() => reject(late), this.#stalledMs);
    });
    clearTimeout(timer);
  }

  #adjust(): void {
    if (this.#takesAll || this.#bytes < AHEAD_BYTES) this.#body.resume();
    else this.#body.pause();
  }
}
