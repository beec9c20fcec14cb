/** Output of benchmarks: tables as text; a whole run as Markdown with a plot. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { plot } from './plot.ts';

/** A median with the least and the most of its rounds. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** One contestant's result. */
export interface Row {
  readonly name: string;
  /** Operations a second. */
  readonly rate: Spread;
  /** Milliseconds. */
  readonly p99: Spread;
  /** Microseconds of processor time for each operation. */
  readonly cpu?: Spread;
}

interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

const FOLDER = join(import.meta.dirname, 'results');
const HEAD = ['', 'rate', 'from … to', 'p99', 'processor time', 'ratio by rate', 'by processor time'];

/** Collects and prints. */
export class Results {
  /** True if rounds count in which others used the machine. */
  readonly anyway: boolean;
  readonly #sections: Section[] = [];

  constructor({ anyway }: { readonly anyway: boolean }) {
    this.anyway = anyway;
  }

  /** Prints a section: its first row is the baseline. */
  add(title: string, rows: readonly Row[]): void {
    this.#sections.push({ title, rows });
    console.log(`\n${textOf({ title, rows })}`);
  }

  /**
   * Writes everything to `results/DATE.md` and `.svg`. @param of the subject, in the name. @returns the names
   * of the files
   */
  write(now: Date, of = ''): readonly string[] {
    const day = now.toISOString().slice(0, 10);
    const cores = cpus();
    const machine = `${day}, ${cores.length} × ${cores[0]?.model ?? 'unknown'}, Node ${process.versions.node}`;
    const noted = this.anyway
      ? '\n\n**Other processes used the machine meanwhile: these figures mean little.**'
      : '';
    const tables = this.#sections.map(textOf).join('\n\n');
    mkdirSync(FOLDER, { recursive: true });
    const name = day + of;
    const files = [join(FOLDER, `${name}.md`), join(FOLDER, `${name}.svg`)] as const;
    writeFileSync(files[0], `# Benchmarks\n\n${machine}${noted}\n\n![ratios](${name}.svg)\n\n${tables}\n`);
    writeFileSync(files[1], plot(this.#sections.flatMap(barsOf), machine));
    return files;
  }
}

/**
 * A bar for each row but the baseline: its speed as a multiple of the baseline's, with the range of its
 * rounds.
 */
function barsOf({ title, rows: [base, ...others] }: Section) {
  if (base === undefined) return [];
  const to = (value: number): number => value / base.rate.median;
  return others.map(({ name, rate }) => ({
    label: `${title}: ${name}`,
    value: to(rate.median),
    low: to(rate.low),
    high: to(rate.high),
  }));
}

function textOf({ title, rows }: Section): string {
  const [base] = rows;
  const lines = rows.map((row) => cellsOf(row, row === base ? undefined : base));
  const widths = HEAD.map((head, i) => Math.max(head.length, ...lines.map((cells) => cells[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [`## ${title}`, '', line(HEAD), rule, ...lines.map(line)].join('\n');
}

function cellsOf({ name, rate, p99, cpu }: Row, base: Row | undefined): string[] {
  const perSecond = (value: number): string => Math.round(value).toLocaleString('en');
  const ratio = base === undefined ? 'baseline' : (rate.median / base.rate.median).toFixed(2);
  const byCpu = base?.cpu && cpu ? (base.cpu.median / cpu.median).toFixed(2) : '';
  const used = cpu ? `${cpu.median.toFixed(0)} µs (${cpu.low.toFixed(0)} … ${cpu.high.toFixed(0)})` : '';
  const range = `${perSecond(rate.low)} … ${perSecond(rate.high)}`;
  const latency = p99.median > 0 ? `${p99.median.toFixed(1)} ms` : '';
  return [name, `${perSecond(rate.median)}/s`, range, latency, used, ratio, byCpu];
}
