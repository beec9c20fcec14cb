/** Output of commands: JSON for programs, tables for people, with numbers as people write them. */
import { Command } from 'commander';

/** The options of any command with a result. */
export interface Output {
  readonly json?: true | undefined;
}

type Shown = string | number;

export function command(name: string, about: string): Command {
  return new Command(name).description(about).option('--json', 'print JSON');
}

/** Prints a result. @param fields as people read it */
export function print({ json }: Output, result: unknown, fields: Readonly<Record<string, Shown>>): void {
  if (json) printJson(result);
  else printFields(fields);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints rows under headings, in columns; without rows, only the headings. */
export function printTable(headings: readonly string[], rows: readonly (readonly Shown[])[]): void {
  const all = [headings, ...rows.map((row) => row.map(inEnglish))];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]))));
  for (const row of all) {
    const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

/** Prints names and values, one pair a line. */
export function printFields(fields: Readonly<Record<string, Shown>>): void {
  const width = Math.max(...Object.keys(fields).map(widthOf));
  for (const [name, value] of Object.entries(fields)) {
    process.stdout.write(`${name.padEnd(width)}  ${inEnglish(value)}\n`);
  }
}

/** A number as people write it; a text as it is. */
export function inEnglish(shown: Shown): string {
  return typeof shown === 'number' ? shown.toLocaleString('en') : shown;
}

function widthOf(cell = ''): number {
  return [...cell].length;
}
