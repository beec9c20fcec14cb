/** A line of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvLine(cells: readonly (string | number | bigint | boolean | null | undefined)[]): string {
  return cells.map((cell) => quote(cell === null || cell === undefined ? '' : String(cell))).join(',');
}

function quote(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
