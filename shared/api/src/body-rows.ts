/**
 * The rows of a body, off its bytes as they come. Services read rows by this rule and the gateway counts them by it, so
 * that callers pay for what is read:
 *
 * UTF-8; a byte order mark at the start is dropped. A line ends in LF or CRLF, the last one also with the body. A line
 * that is empty or has only spaces and tabs is no row; there may be 1,000 of them and one more for each row, and what
 * comes after is not read. Every other line is a row. In CSV (RFC 4180) a row goes on over the line ends in a cell whose
 * quote is open. The first row of CSV is a header, and is not counted, where its first cell (without quotes and the blanks
 * around it) neither begins with `0x` nor contains a dot. A row of more than 4,096 bytes, or with a quote that is never
 * closed, cannot be read; it counts, and is no header.
 */
import { isBlank, isHeader } from './csv-cell.ts';

/** Longer rows cannot be read; this is several times a holder's longest name. */
export const MAX_ROW_BYTES = 4_096;
/** Blank lines that cost nothing, in addition to one for each row. */
export const MAX_BLANK_LINES = 1_000;

/** Why a row cannot be read. */
export type RowFault = 'too long' | 'open quote';

export interface RawRow {
  /** The number of its last line, from 1: a body is resumed with the lines after it. */
  readonly line: number;
  /** Holds its bytes, at `from` up to `end`: without the line end, none where there is a fault. Valid until the next part. */
  readonly part: Buffer;
  readonly from: number;
  readonly end: number;
  readonly fault: RowFault | undefined;
}

export function bytesOf({ part, from, end }: RawRow): Buffer {
  return part.subarray(from, end);
}

type OnRow = (row: RawRow) => void;

/** Position of the next byte in a row of CSV. Blanks may precede the quote of the first cell only. */
const [FIRST_CELL, CELL, TEXT, QUOTED, QUOTE_IN_QUOTED] = [0, 1, 2, 3, 4] as const;
type Place = number;

const [LF, CR, QUOTE, COMMA] = [0x0a, 0x0d, 0x22, 0x2c];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOTHING = Buffer.alloc(0);

export class BodyRows {
  readonly #isCsv: boolean;
  #mayBeHeader: boolean;
  #line = 1;
  #rows = 0;
  #blankLines = 0;
  #isRefused = false;
  /** The start of the body while it may be a byte order mark. */
  #mark: Buffer | undefined = NOTHING;
  /** Bytes of the incomplete row; empty once it is too long. */
  #begun: Buffer = NOTHING;
  #isTooLong = false;
  #place: Place = FIRST_CELL;

  constructor({ csv }: { readonly csv: boolean }) {
    this.#isCsv = csv;
    this.#mayBeHeader = csv;
  }

  /** The rows that have ended, header and blank lines left out. */
  get rows(): number {
    return this.#rows;
  }

  /** True from the first blank line too many: nothing after it is read. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** The number of the line that has not ended yet. */
  get line(): number {
    return this.#line;
  }

  /** Takes the next part of the body. Without `onRow`, rows are only counted, at half the cost. */
  push(part: Uint8Array, onRow?: OnRow): void {
    const bytes = this.#withoutMark(Buffer.from(part.buffer, part.byteOffset, part.length));
    let quote = -1;
    const nextQuote = (from: number): number => {
      if (quote >= from) return quote;
      const found = bytes.indexOf(QUOTE, from);
      return (quote = found === -1 ? bytes.length : found);
    };
    for (let from = 0; from < bytes.length && !this.#isRefused;) {
      const end = this.#isCsv ? this.#endInCsv(bytes, from, nextQuote) : bytes.indexOf(LF, from);
      if (end === -1) {
        this.#keep(bytes.subarray(from));
        return;
      }
      this.#finish(bytes, from, end, onRow);
      from = end + 1;
    }
  }

  /** The body is complete: its last row may lack a line end. */
  end(onRow?: OnRow): void {
    const mark = this.#mark;
    this.#mark = undefined;
    if (mark !== undefined && mark.length < BYTE_ORDER_MARK.length) this.push(mark, onRow);
    if (this.#isRefused || (this.#begun.length === 0 && !this.#isTooLong)) return;
    this.#finish(NOTHING, 0, 0, onRow);
  }

  #withoutMark(part: Buffer): Buffer {
    if (this.#mark === undefined) return part;
    const bytes = this.#mark.length === 0 ? part : Buffer.concat([this.#mark, part]);
    if (bytes.length < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.subarray(0, bytes.length).equals(bytes)) {
      this.#mark = bytes;
      return NOTHING;
    }
    this.#mark = undefined;
    return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
  }

  /** The LF that ends the row; -1 where it has not come. Most lines have no quote, and are skipped at once. */
  #endInCsv(bytes: Buffer, from: number, nextQuote: (from: number) => number): number {
    if (this.#place !== QUOTED && this.#place !== QUOTE_IN_QUOTED) {
      const end = bytes.indexOf(LF, from);
      const quote = nextQuote(from);
      if (end !== -1 && quote > end) {
        this.#place = FIRST_CELL;
        return end;
      }
      if (end === -1 && quote === bytes.length) {
        this.#place = placeAfterRun(this.#place, bytes.subarray(from));
        return -1;
      }
    }
    // Byte by byte: a search from each quote to the next would cost more where there are many.
    let place = this.#place;
    let at = from;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === LF && place !== QUOTED) break;
      if (byte === LF) this.#line += 1;
      place = AFTER[(place << 8) | byte]!;
    }
    const hasEnded = at < bytes.length;
    this.#place = hasEnded ? FIRST_CELL : place;
    return hasEnded ? at : -1;
  }

  #keep(bytes: Buffer): void {
    // A CR at the end may belong to the line's end.
    this.#isTooLong ||= this.#begun.length + bytes.length > MAX_ROW_BYTES + 1;
    this.#begun = this.#isTooLong ? NOTHING : Buffer.concat([this.#begun, bytes]);
  }

  /** @param restFrom where the row's bytes begin in the part, or those after what was kept of it */
  #finish(rest: Buffer, restFrom: number, restEnd: number, onRow: OnRow | undefined): void {
    const isWhole = this.#begun.length === 0;
    const part = isWhole ? rest : Buffer.concat([this.#begun, rest.subarray(restFrom, restEnd)]);
    const from = isWhole ? restFrom : 0;
    let end = isWhole ? restEnd : part.length;
    if (end > from && part[end - 1] === CR) end -= 1;
    const isTooLong = this.#isTooLong || end - from > MAX_ROW_BYTES;
    const fault = this.#place === QUOTED ? 'open quote' : isTooLong ? 'too long' : undefined;
    const line = this.#line;
    this.#line += 1;
    this.#begun = NOTHING;
    this.#isTooLong = false;
    this.#place = FIRST_CELL;
    if (fault === undefined && isBlankRun(part, from, end)) {
      this.#blankLines += 1;
      this.#isRefused = this.#blankLines > MAX_BLANK_LINES + this.#rows;
      return;
    }
    const mayBeHeader = this.#mayBeHeader;
    this.#mayBeHeader = false;
    if (mayBeHeader && fault === undefined && isHeader(part.toString('utf8', from, end))) return;
    this.#rows += 1;
    onRow?.({ line, part, from, end: fault === undefined ? end : from, fault });
  }
}

/** Counts up: an iterator, or a function called for each byte, costs five to ten times as much. */
function isBlankRun(bytes: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at < end && isBlank(bytes[at]!)) at += 1;
  return at === end;
}

/** The same after bytes without a quote or a line end. */
function placeAfterRun(place: Place, run: Buffer): Place {
  if (run.at(-1) === COMMA) return CELL;
  return run.length === 0 || (place === FIRST_CELL && isBlankRun(run, 0, run.length)) ? place : TEXT;
}

function placeAfter(place: Place, byte: number): Place {
  if (place === QUOTED) return byte === QUOTE ? QUOTE_IN_QUOTED : QUOTED;
  if (byte === QUOTE) return place === TEXT ? TEXT : QUOTED;
  if (byte === COMMA) return CELL;
  return place === FIRST_CELL && isBlank(byte) ? place : TEXT;
}

/** The same for each place and byte, looked up: bodies of quotes ask for every byte. */
const AFTER = Uint8Array.from({ length: 5 * 256 }, (_, i) => placeAfter(i >> 8, i & 255));
