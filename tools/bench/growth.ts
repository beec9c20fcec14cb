/**
 * Growth of costs: each subject is measured at several sizes, and the smallest is the baseline, so a flat
 * curve has ratios of 1. A part's name after `growth` runs it alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectionsGrow, nodeLatencyGrows } from './growth/services.ts';
import { outboxGrows, projectsGrow } from './growth/stores.ts';
import { tokensGrow } from './growth/tokens.ts';
import type { Results } from './results.ts';

const PARTS: Readonly<Record<string, (folder: string, results: Results) => Promise<void>>> = {
  projects: projectsGrow,
  outbox: outboxGrows,
  connections: connectionsGrow,
  node: nodeLatencyGrows,
  tokens: tokensGrow,
};

/** Runs the benchmark, prints, and writes results/. */
export async function run(results: Results): Promise<void> {
  const wanted = process.argv[3];
  for (const [name, grow] of Object.entries(PARTS)) {
    if (wanted !== undefined && wanted !== name) continue;
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-growth-'));
    try {
      await grow(folder, results);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  console.log(`\nwritten: ${results.write(new Date(), '-growth').join(', ')}`);
}
