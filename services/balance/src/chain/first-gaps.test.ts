import { describe, expect, it } from '@jest/globals';
import type { Block } from '@hindsight/chain/state/block.ts';
import fc from 'fast-check';
import { findFirstGaps, type FirstGaps } from './first-gaps.ts';

interface Sample {
  readonly block: Block;
  readonly value: number;
}

/** The value before and after each height at which it changes. */
type Past = readonly number[];

const NEVER = Infinity;

/** One more at each of the heights. */
function samplerOf(past: Past, counts: { samples: number; requests: number }) {
  return (heights: readonly number[]): Sample[] => {
    counts.samples += heights.length;
    counts.requests += 1;
    return heights.map((height) => ({
      block: { number: height, hash: '', parentHash: '', timestamp: 0 },
      value: past.filter((at) => at <= height).length,
    }));
  };
}

async function firstOf(
  past: Past,
  bounds: { from?: number; to: number; limit?: number; samples?: number; deadline?: number },
): Promise<FirstGaps<Sample> & { counts: { samples: number; requests: number } }> {
  const counts = { samples: 0, requests: 0 };
  const sample = samplerOf(past, counts);
  const [low, high] = sample([bounds.from ?? 0, bounds.to]) as [Sample, Sample];
  const found = await findFirstGaps(
    [{ low, high }].filter(() => low.value !== high.value),
    {
      sample: async (heights) => sample(heights),
      isSame: (one, other) => one.value === other.value,
      isChange: () => true,
      limit: bounds.limit ?? 1_000,
      samples: bounds.samples ?? 100_000,
      deadline: bounds.deadline ?? NEVER,
    },
  );
  return { ...found, counts };
}

const heightsOf = ({ narrow }: FirstGaps<Sample>): number[] => narrow.map(({ high }) => high.block.number);

const pasts = fc
  .record({
    to: fc.integer({ min: 1, max: 1_000_000 }),
    parts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 60 }),
  })
  .map(({ to, parts }) => ({
    to,
    past: [...new Set(parts.map((part) => 1 + Math.floor(part * (to - 1))))].sort(
      (one, other) => one - other,
    ),
  }));

describe('the first gaps', () => {
  it('are all of them, each a block wide, where there is room', async () => {
    await fc.assert(
      fc.asyncProperty(pasts, async ({ to, past }) => {
        const found = await firstOf(past, { to });
        expect(heightsOf(found)).toEqual(past);
        expect(found.narrow.filter(({ low, high }) => high.block.number - low.block.number !== 1)).toEqual(
          [],
        );
        expect(found.rest).toBeUndefined();
      }),
    );
  });

  it('page by page, within any bounds, are all of them', async () => {
    const bounds = fc.record({
      limit: fc.integer({ min: 1, max: 20 }),
      samples: fc.integer({ min: 20, max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(pasts, bounds, async ({ to, past }, { limit, samples }) => {
        const found: number[] = [];
        for (let from = 0, pages = 0; from < to; pages++) {
          const page = await firstOf(past, { from, to, limit, samples });
          found.push(...heightsOf(page));
          if (page.rest === undefined) break;
          expect(page.narrow.length).toBeGreaterThan(0);
          from = page.rest.low.block.number;
          expect(pages).toBeLessThan(100);
        }
        expect(found).toEqual(past);
      }),
    );
  });

  it('take no more samples than they may, but for those of one request', async () => {
    const past = Array.from({ length: 5_000 }, (_, i) => 4_000 * i + 17);
    const { counts, narrow } = await firstOf(past, { to: 20_000_000, samples: 800 });
    expect(counts.samples).toBeLessThanOrEqual(800 + 48 + 2);
    expect(narrow.length).toBeGreaterThan(20);
    expect(counts.requests).toBeLessThan(40);
  });

  it('of one change in all blocks take few requests', async () => {
    const { counts } = await firstOf([12_345_678], { to: 20_000_000 });
    expect(counts.requests).toBeLessThanOrEqual(8);
  });

  it('end at the deadline, and say so', async () => {
    const found = await firstOf([500], { to: 1_000, deadline: -1 });
    expect(found).toMatchObject({ narrow: [], isCut: true, rest: { low: { block: { number: 0 } } } });
  });
});
