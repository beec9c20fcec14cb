/**
 * Counts the rows of a body, off its bytes as they pass. The rule, which the services follow too when they read them:
 *
 * UTF-8; a byte order mark at the start is dropped. A line ends in LF or CRLF, the last one also with the body. A line
 * that is empty or has only spaces and tabs is no row. Of CSV, the first other line is a header, and no row, where its
 * first cell (without quotes and the blanks around it) neither begins with `0x` nor contains a dot. Everything else is
 * a row.
 */

const [TAB, LF, CR, SPACE, QUOTE, COMMA] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Of a longer header the beginning decides. */
const MAX_HEADER_BYTES = 4_096;

/** What a line is so far: blank, blank with a CR that its end may follow, or a row. */
type Line = 'blank' | 'blank, CR' | 'row';

/** The rows of one body. */
export class RowCounter {
  #rows = 0;
  #line: Line = 'blank';
  /** How much of the byte order mark the body has begun with; undefined once that is decided. */
  #mark: number | undefined = 0;
  /** The line that may be a header, as far as it has come; undefined once that is decided. */
  #first: number[] | undefined;

  constructor({ header }: { readonly header: boolean }) {
    if (header) this.#first = [];
  }

  /** The rows that have ended. */
  get rows(): number {
    return this.#rows;
  }

  /** Takes the next part of the body. */
  push(part: Uint8Array): void {
    let at = this.#mark === undefined ? 0 : this.#skipMark(part);
    while (at < part.length) {
      if (this.#line === 'row' && this.#first === undefined) {
        // Nothing else of it matters: to its end at once.
        at = part.indexOf(LF, at);
        if (at === -1) return;
      }
      this.#take(part[at]!);
      at++;
    }
  }

  /** The body is complete. */
  end(): void {
    // Part of a mark is text.
    for (let byte = 0; byte < (this.#mark === 3 ? 0 : (this.#mark ?? 0)); byte++)
      this.#take(BYTE_ORDER_MARK[byte]!);
    this.#mark = undefined;
    this.#take(LF);
  }

  #skipMark(part: Uint8Array): number {
    let at = 0;
    while (at < part.length && this.#mark !== undefined) {
      if (this.#mark === BYTE_ORDER_MARK.length) {
        this.#mark = undefined;
      } else if (part[at] === BYTE_ORDER_MARK[this.#mark]) {
        this.#mark++;
        at++;
      } else {
        const begun = BYTE_ORDER_MARK.slice(0, this.#mark);
        this.#mark = undefined;
        for (const byte of begun) this.#take(byte);
      }
    }
    return at;
  }

  #take(byte: number): void {
    if (byte === LF) {
      this.#endLine();
      return;
    }
    if (this.#first !== undefined && this.#first.length <= MAX_HEADER_BYTES) this.#first.push(byte);
    if (this.#line === 'row') return;
    if (this.#line === 'blank' && (byte === SPACE || byte === TAB)) return;
    this.#line = this.#line === 'blank' && byte === CR ? 'blank, CR' : 'row';
  }

  #endLine(): void {
    const isRow = this.#line === 'row';
    this.#line = 'blank';
    const first = this.#first;
    if (isRow) this.#first = undefined;
    else if (first !== undefined) first.length = 0;
    if (isRow && (first === undefined || !isHeader(first))) this.#rows++;
  }
}

function isHeader(line: readonly number[]): boolean {
  const cell = firstCell(line);
  return !cell.startsWith('0x') && !cell.includes('.');
}

/** What distinguishes a header from a holder in the first cell: only ASCII bytes matter. */
function firstCell(line: readonly number[]): string {
  const text = trimBlanks(line);
  const isQuoted = text[0] === QUOTE;
  const cell: number[] = [];
  for (let at = isQuoted ? 1 : 0; at < text.length; at++) {
    const byte = text[at]!;
    if (byte === (isQuoted ? QUOTE : COMMA)) {
      if (!isQuoted || text[at + 1] !== QUOTE) break;
      at++;
    }
    cell.push(byte);
  }
  return String.fromCharCode(...trimBlanks(cell));
}

function trimBlanks(bytes: readonly number[]): readonly number[] {
  const isText = (byte: number): boolean => byte !== SPACE && byte !== TAB;
  return bytes.slice(Math.max(bytes.findIndex(isText), 0), bytes.findLastIndex(isText) + 1);
}
