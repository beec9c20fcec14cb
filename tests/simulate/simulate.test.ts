/** Short runs of the simulator, in a process of their own: it puts a machine in the place of Node. */
import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RunResult } from './run.ts';

type SeedResult = RunResult & { readonly seed: number };

const PROGRAM = join(import.meta.dirname, 'main.ts');

async function simulate(...words: readonly string[]): Promise<SeedResult[]> {
  const child = spawn(process.execPath, [PROGRAM, '--json', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = (await text(child.stdout)).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as SeedResult);
}

describe('an installation in virtual time', () => {
  it('keeps its promises under faults, and does the same again from the same seed', async () => {
    const seeds = await simulate('--seed', '1', '--seeds', '3', '--hours', '0.1');
    expect(seeds.map(({ seed, broken }) => [seed, ...broken])).toEqual([[1], [2], [3]]);
    const sum = (of: 'faults' | 'answers'): number =>
      seeds.flatMap((one) => Object.values(one[of])).reduce((total, count) => total + count, 0);
    expect(sum('faults')).toBeGreaterThan(5);
    expect(sum('answers')).toBeGreaterThan(50);
    const [again] = await simulate('--seed', '3', '--hours', '0.1');
    expect(again).toEqual(seeds.at(-1));
  });

  it.each([
    ['lost-record', '1', /units counted, \d+ answered/],
    ['doubled-count', '1', /units counted/],
    ['over-limit', '3', /units answered, \d+ are the limit/],
  ])('shows a planted fault: %s', async (plant, seed, broken) => {
    const [found] = await simulate('--seed', seed, '--hours', '0.3', '--plant', plant);
    expect(found?.broken.join('\n')).toMatch(broken);
  });
});
