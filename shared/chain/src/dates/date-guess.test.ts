/** Heights to read are worth their request: between the two blocks, each once, and not too many. */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { evenHeights, guessFewHeights, guessHeights, type Bracket } from './date-guess.ts';

const block = (number: number, timestamp: number): Bracket['below'] => ({
  ...{ number, timestamp, hash: `0x${number}`, parentHash: `0x${number - 1}` },
});

const questions = fc
  .record({
    number: fc.integer({ min: 0, max: 1e7 }),
    width: fc.oneof(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 2, max: 2e7 })),
    time: fc.integer({ min: 1, max: 1e9 }),
    took: fc.integer({ min: 1, max: 1e9 }),
    share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    count: fc.integer({ min: 8, max: 30 }),
  })
  .map(({ number, width, time, took, share, count }) => ({
    bracket: { below: block(number, time), above: block(number + width, time + took) },
    seconds: time + Math.floor(took * share),
    ...{ count, width },
  }));

function expectBetween({ below, above }: Bracket, heights: readonly number[]): void {
  const between = heights.filter((height) => height > below.number && height < above.number);
  expect(between.filter(Number.isSafeInteger)).toEqual(heights);
}

it('a guess has heights strictly between the blocks, ascending, no more than wanted, and all if those are few', () => {
  fc.assert(
    fc.property(questions, ({ bracket, seconds, count, width }) => {
      const heights = guessHeights(bracket, seconds, count);
      expectBetween(bracket, heights);
      expect([...new Set(heights)].sort((a, b) => a - b)).toEqual(heights);
      expect(heights.length).toBeLessThanOrEqual(count);
      expect(heights.length).toBeGreaterThan(0);
      if (width - 1 <= count) expect(heights).toHaveLength(width - 1);
    }),
    { seed: 1 },
  );
});

it('a guess of few heights has them between the blocks, and one more than wanted at the most', () => {
  fc.assert(
    fc.property(questions, fc.integer({ min: 1, max: 4 }), ({ bracket, seconds, width }, count) => {
      const heights = guessFewHeights(bracket, seconds, count);
      expectBetween(bracket, heights);
      expect(heights.length).toBeLessThanOrEqual(Math.max(count + 1, 1.5 * count));
      if (width - 1 <= 1.5 * count) expect(heights).toHaveLength(width - 1);
    }),
    { seed: 1 },
  );
});

it('even heights leave a fifth of the bracket', () => {
  expect(evenHeights({ below: block(10, 0), above: block(110, 1) })).toEqual([30, 50, 70, 90]);
  expect(new Set(evenHeights({ below: block(10, 0), above: block(12, 1) }))).toEqual(new Set([11]));
});

it('a guess of few heights near an end of the bracket has some beside it', () => {
  const bracket = { below: block(10, 0), above: block(1_010, 1_000) };
  for (const seconds of [0, 999]) expect(guessFewHeights(bracket, seconds, 4).length).toBeGreaterThan(0);
});
