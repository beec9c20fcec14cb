/** Short runs of the simulator, each in a process of its own, since it replaces parts of Node. */
import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RunResult } from './run.ts';

type SeedResult = RunResult & { readonly seed: number };

/** Three minutes under faults, and what comes after them. */
const HOURS = '0.05';
const PROGRAM = join(import.meta.dirname, 'main.ts');

async function simulate(...words: readonly string[]): Promise<SeedResult[]> {
  const child = spawn(process.execPath, [PROGRAM, '--json', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = (await text(child.stdout)).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as SeedResult);
}

describe('an installation in virtual time', () => {
  it('keeps its promises under faults, and repeats a run from its seed', async () => {
    const seeds = await simulate('--seed', '1', '--seeds', '2', '--hours', HOURS);
    expect(seeds.map(({ seed, broken }) => [seed, ...broken])).toEqual([[1], [2]]);
    const sum = (of: 'faults' | 'answers'): number =>
      seeds.flatMap((one) => Object.values(one[of])).reduce((total, count) => total + count, 0);
    expect(sum('faults')).toBeGreaterThan(0);
    expect(sum('answers')).toBeGreaterThan(50);
    const [again] = await simulate('--seed', '2', '--hours', HOURS);
    expect(again).toEqual(seeds.at(-1));
  });

  it.each([
    ['lost-record', '1', /units counted, \d+ answered/],
    ['doubled-count', '1', /units counted/],
    ['over-limit', '3', /are the limit|units leased, \d+ counted/],
    ['lost-order', '1', /answered with 201, and not published/],
    ['order-twice', '1', /published under 2 numbers/],
  ])('has a checker that finds the planted fault %s', async (plant, seed, broken) => {
    const [found] = await simulate('--seed', seed, '--hours', HOURS, '--plant', plant);
    expect(found?.broken.join('\n')).toMatch(broken);
  });
});
