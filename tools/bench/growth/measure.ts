/** One thing at one size: rounds of it, one after the other. */
import type { Row, Spread } from '../results.ts';

const ROUNDS = 5;

/** @param size as the row's name has it */
export async function measure(size: number, operations: number, work: (i: number) => unknown): Promise<Row> {
  const rates: number[] = [];
  const p99s: number[] = [];
  let at = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const took = new Float64Array(operations);
    const begun = performance.now();
    for (let i = 0; i < operations; i++) {
      const started = performance.now();
      await work(at++);
      took[i] = performance.now() - started;
    }
    // The first round warms up.
    if (round === 0) continue;
    rates.push((operations * 1_000) / (performance.now() - begun));
    p99s.push(took.sort()[Math.floor(operations * 0.99)] ?? 0);
  }
  return { name: size.toLocaleString('en'), rate: spreadOf(rates), p99: spreadOf(p99s) };
}

/** Median, least and most. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
  return { median: at(0.5), low: at(0), high: at(1) };
}
