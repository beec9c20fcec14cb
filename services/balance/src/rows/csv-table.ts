/** Writes records as tables of CSV (RFC 4180), for answers that are rows. */

/** A value of a row; null and undefined are empty cells. A list is written with spaces between its items. */
export type Cell = string | number | boolean | null | undefined | readonly string[];

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The media type of a table. */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

export function tableOf<R>(rows: readonly R[], columns: Readonly<Record<string, (row: R) => Cell>>): Table {
  const makers = Object.values(columns);
  return { columns: Object.keys(columns), rows: rows.map((row) => makers.map((make) => make(row))) };
}

/** Columns that are fields of a row, by their names. */
export function fieldColumns<K extends string>(...names: readonly K[]) {
  const columns = names.map((name) => [name, (row: Readonly<Record<K, Cell>>) => row[name]] as const);
  return Object.fromEntries(columns) as Record<K, (row: Readonly<Record<K, Cell>>) => Cell>;
}

/** Writes a table: a header, and lines that end in CRLF. */
export function writeTable({ columns, rows }: Table): string {
  return [columns, ...rows].map((cells) => `${cells.map(writeCell).join(',')}\r\n`).join('');
}

function writeCell(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'object') return textCell(cell.join(' '));
  return typeof cell === 'string' ? textCell(cell) : String(cell);
}

/**
 * A cell of text, quoted where it must be. Text that a spreadsheet would run as a formula gets an apostrophe in front; a
 * number, with its sign or not, is none.
 */
export function textCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-\d+$/.test(text) ? `'${text}` : text;
  return /[",\r\n#]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
