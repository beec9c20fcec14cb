/** Results of a run. */

/** The clients' answers during one step. */
export interface Step {
  readonly name: string;
  /** Milliseconds without a running process. */
  readonly downMs: number;
  readonly statuses: Readonly<Record<number, number>>;
}

/** A run's result. */
export interface Report {
  readonly title: string;
  readonly steps: readonly Step[];
  /** Compared values, in words and numbers. */
  readonly findings: Readonly<Record<string, string | number>>;
  /** Violations. */
  readonly faults: readonly string[];
}

const COLUMNS: readonly [heading: string, statuses: readonly number[]][] = [
  ['answered', [200, 201]],
  ['429', [429]],
  ['502–504', [502, 503, 504]],
  ['cut off', [0]],
  ['refused', [-1]],
];
const SHOWN = new Set(COLUMNS.flatMap(([, statuses]) => statuses));

/** As Markdown. */
export function tableOf({ title, steps, findings }: Report): string {
  const rows = steps.map(({ name, downMs, statuses }) => {
    const sum = (wanted: (status: number) => boolean): number =>
      Object.entries(statuses).reduce(
        (all, [status, count]) => all + (wanted(Number(status)) ? count : 0),
        0,
      );
    const counts = COLUMNS.map(([, some]) => sum((status) => some.includes(status)));
    return [name, `${(downMs / 1_000).toFixed(1)} s`, ...counts, sum((status) => !SHOWN.has(status))];
  });
  const headings = ['replaced', 'not there for', ...COLUMNS.map(([heading]) => heading), 'other'];
  const lines = [headings, headings.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  const found = Object.entries(findings).map(([name, value]) => `- ${name}: ${value}`);
  return [title, '', ...lines, '', ...found].join('\n');
}

/** The difference from an earlier state. */
export function since(
  before: Readonly<Record<number, number>>,
  now: Readonly<Record<number, number>>,
): Record<number, number> {
  return Object.fromEntries(
    Object.entries(now).map(([status, count]) => [status, count - (before[Number(status)] ?? 0)]),
  );
}

/** Answers of several loads together. */
export function sumOf(all: readonly Readonly<Record<number, number>>[]): Record<number, number> {
  const sums: Record<number, number> = {};
  for (const one of all)
    for (const [status, count] of Object.entries(one))
      sums[Number(status)] = (sums[Number(status)] ?? 0) + count;
  return sums;
}
