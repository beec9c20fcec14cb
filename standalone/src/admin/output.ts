/** Output of commands: JSON for programs, tables for people. */

/** Prints one line of JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints rows under headings, in columns; without rows, only the headings. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]))));
  for (const row of all) {
    const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

/** Prints names and values, one pair a line. */
export function printFields(fields: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(fields).map(widthOf));
  for (const [name, value] of Object.entries(fields)) {
    process.stdout.write(`${name.padEnd(width)}  ${value}\n`);
  }
}

function widthOf(cell = ''): number {
  return [...cell].length;
}
