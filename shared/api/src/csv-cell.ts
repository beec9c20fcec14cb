/** The first cell of a row of CSV (RFC 4180): it names the holder, or shows that the row is a header. */

/** Twice what a holder may have: of a longer cell the beginning decides. */
const MAX_CHARACTERS = 1_024;
const [TAB, SPACE, QUOTE] = [0x09, 0x20, 0x22];

/** The first cell, without its quotes and the blanks around it; at most its first 1,024 characters. */
export function firstCell(row: string): string {
  const text = trimBlanks(row.slice(0, MAX_CHARACTERS));
  return trimBlanks(text.startsWith('"') ? quotedText(text) : (text.split(',', 1)[0] ?? ''));
}

/** The text between the quote that it begins with and the one that closes it. Of a pair of quotes one is text. */
function quotedText(text: string): string {
  let end = 1;
  // By hand: a regular expression takes a step back for each character.
  while (end < text.length) {
    if (text.charCodeAt(end) !== QUOTE) end += 1;
    else if (text.charCodeAt(end + 1) === QUOTE) end += 2;
    else break;
  }
  return text.slice(1, end).replaceAll('""', '"');
}

/** True if a row of CSV is a header: its first cell neither begins with `0x` nor contains a dot. */
export function isHeader(row: string): boolean {
  const cell = firstCell(row);
  return !cell.startsWith('0x') && !cell.includes('.');
}

/** The text without the spaces and tabs around it; other white space is part of a row. */
export function trimBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** True if a character, or its byte, is a space or a tab. */
export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}
