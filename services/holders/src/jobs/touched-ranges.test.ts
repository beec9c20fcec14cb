import { afterEach, expect, it, jest } from '@jest/globals';
import type { Position } from '@hindsight/indexing/position.ts';
import type { RangeReading } from '@hindsight/indexing/range-reading.ts';
import type { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import type { Touched } from '../domain/points.ts';
import type { HolderIndex, TouchedRange } from '../ports.ts';
import { TouchedRanges } from './touched-ranges.ts';

const TOKEN = `0x${'1a'.repeat(20)}`;
const { signal } = new AbortController();

afterEach(() => void jest.restoreAllMocks());

/** A track, with the ranges that were written. The time stands still. */
function openTrack() {
  jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const written: TouchedRange[] = [];
  let position: Position | null = null;
  const index = {
    position: async () => position,
    async append(_track: string, base: Position | null, range: TouchedRange) {
      written.push(range);
      return (position = { from: base?.from ?? range.from, number: range.to, hash: range.hash });
    },
  } as unknown as HolderIndex;
  const ranges = new TouchedRanges({
    index,
    track: TOKEN,
    reporter: { applied: () => undefined } as unknown as WalkReporter,
    logs: { firstFrom: async (height) => height },
    fromBlock: 1,
  });
  const add = (base: Position | null, block: number, count = 1, isLast = false) => {
    const points = Array.from({ length: count }, () => ({ token: TOKEN, holder: TOKEN, id: null, block }));
    const reading: RangeReading<Touched> = {
      ...{ from: block, to: block, parentHash: '0x', hash: '0x', count, found: { points, approvals: [] } },
    };
    return ranges.add(base, reading, { isLast, signal });
  };
  return { add, resume: () => ranges.resume(signal), written };
}

it('ranges that were held back when a round failed are not written with those of the next', async () => {
  const { add, resume, written } = openTrack();
  const base = await add(null, 1);
  expect(await add(base, 2)).toBe(base);
  expect(written).toHaveLength(1);
  expect(await resume()).toEqual(base);
  await add(base, 2, 1, true);
  expect(written.map(({ from, to, points }) => [from, to, points.length])).toEqual([
    [1, 1, 1],
    [2, 2, 1],
  ]);
});

it('ranges with many points are not held back', async () => {
  const { add, written } = openTrack();
  const base = await add(null, 1);
  await add(base, 2, 10_000);
  expect(written).toHaveLength(1);
  await add(base, 3, 10_000);
  expect(written.map(({ from, to }) => [from, to])).toEqual([
    [1, 1],
    [2, 3],
  ]);
});
