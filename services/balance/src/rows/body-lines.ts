/**
 * The rows of a body, off its bytes as they come. The rule, which the gateway follows too when it counts them:
 *
 * UTF-8; a byte order mark at the start is dropped. A line ends in LF or CRLF, the last one also with the body. A line
 * that is empty or has only spaces and tabs is no row. Of CSV, the first other line is a header, and no row, where its
 * first cell (without quotes and the blanks around it) neither begins with `0x` nor contains a dot. Everything else is
 * a row.
 */
import { isAscii } from 'node:buffer';

/** A row as it was sent. */
export interface BodyRow {
  /** The line's number, from 1. */
  readonly line: number;
  /** Undefined where it cannot be read: `fault` says why. */
  readonly text: string | undefined;
  readonly fault?: string;
}

/** Longer lines are rows that cannot be read; this is several times a holder's longest name. */
const MAX_LINE_BYTES = 4_096;
const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOTHING = Buffer.alloc(0);
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Splits a body into its rows. */
export class BodyLines {
  #line = 1;
  /** What has come of the line that is not complete; of a long one only its beginning. */
  #begun: Buffer = NOTHING;
  /** A line longer than may be kept: whether it was blank so far, and ended in CR. */
  #long: { isBlank: boolean; endsInCr: boolean } | undefined;
  #isAtStart = true;
  /** Whether the next row may be a header instead. */
  #mayBeHeader: boolean;

  constructor({ header }: { readonly header: boolean }) {
    this.#mayBeHeader = header;
  }

  /** The rows that end in a part of the body. */
  push(part: Buffer): BodyRow[] {
    let bytes = part;
    if (this.#isAtStart) {
      bytes = Buffer.concat([this.#begun, part]);
      this.#begun = bytes;
      if (BYTE_ORDER_MARK.subarray(0, bytes.length).equals(bytes)) return [];
      this.#isAtStart = false;
      this.#begun = NOTHING;
      if (bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
    }
    const rows: BodyRow[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, from)) {
      this.#finish(bytes.subarray(from, end), rows);
      from = end + 1;
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from));
    return rows;
  }

  /** The row that ends with the body, if there is one. */
  end(): BodyRow[] {
    const rows: BodyRow[] = [];
    if (this.#isAtStart && this.#begun.equals(BYTE_ORDER_MARK)) this.#begun = NOTHING;
    if (this.#begun.length > 0) this.#finish(NOTHING, rows);
    return rows;
  }

  #keep(bytes: Buffer): void {
    if (this.#long === undefined && this.#begun.length + bytes.length <= MAX_LINE_BYTES + 1) {
      this.#begun = Buffer.concat([this.#begun, bytes]);
      return;
    }
    const long = (this.#long ??= {
      isBlank: isBlank(withoutCr(this.#begun)),
      endsInCr: endsInCr(this.#begun),
    });
    long.isBlank &&= !long.endsInCr && isBlank(withoutCr(bytes));
    long.endsInCr = endsInCr(bytes);
    const room = Math.max(0, MAX_LINE_BYTES - this.#begun.length);
    this.#begun = Buffer.concat([this.#begun, bytes.subarray(0, room)]);
  }

  #finish(rest: Buffer, rows: BodyRow[]): void {
    if (this.#long !== undefined && rest.length > 0) this.#keep(rest);
    const long = this.#long;
    const whole = long !== undefined || this.#begun.length === 0 ? rest : Buffer.concat([this.#begun, rest]);
    const bytes = long === undefined ? withoutCr(whole) : this.#begun;
    const line = this.#line;
    this.#line += 1;
    this.#begun = NOTHING;
    this.#long = undefined;
    if (long?.isBlank ?? isBlank(bytes)) return;
    const mayBeHeader = this.#mayBeHeader;
    this.#mayBeHeader = false;
    if (mayBeHeader && isHeader(bytes.toString())) return;
    if (long !== undefined || bytes.length > MAX_LINE_BYTES) {
      rows.push({ line, text: undefined, fault: `the line is longer than ${MAX_LINE_BYTES} bytes` });
    } else rows.push(readRow(line, bytes));
  }
}

function readRow(line: number, bytes: Buffer): BodyRow {
  if (isAscii(bytes)) return { line, text: bytes.toString('latin1') };
  try {
    return { line, text: strictUtf8.decode(bytes) };
  } catch {
    return { line, text: undefined, fault: 'the line is not valid UTF-8' };
  }
}

/** The first cell of a line of CSV, without its quotes and the blanks around it. */
export function firstCell(line: string): string {
  const text = trimBlanks(line);
  if (!text.startsWith('"')) return trimBlanks(text.split(',', 1)[0] ?? '');
  const [quoted = ''] = /^(?:[^"]|"")*/.exec(text.slice(1)) ?? [];
  return trimBlanks(quoted.replaceAll('""', '"'));
}

function isHeader(line: string): boolean {
  const cell = firstCell(line);
  return !cell.startsWith('0x') && !cell.includes('.');
}

/** Without the spaces and tabs around it; other white space is part of a row. */
export function trimBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlankByte(text.charCodeAt(from))) from += 1;
  while (to > from && isBlankByte(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlankByte(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every(isBlankByte);
}

function endsInCr(bytes: Buffer): boolean {
  return bytes.at(-1) === CR;
}

function withoutCr(bytes: Buffer): Buffer {
  return endsInCr(bytes) ? bytes.subarray(0, -1) : bytes;
}
