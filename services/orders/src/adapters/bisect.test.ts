import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bisect, type Look } from './bisect.ts';

/** Searches for the first block of each fact. `steps` has the number of blocks that each step looked at. */
async function find(firsts: readonly number[], range: { low: number; high: number }, known = -1) {
  const steps: number[] = [];
  const look = async (looks: readonly Look[]) => {
    steps.push(new Set(looks.map(({ height }) => height)).size);
    return looks.map(({ at, height }) => (height < known ? undefined : height >= firsts[at]!));
  };
  const found = await bisect(
    firsts.map(() => range),
    look,
  );
  return { found, steps };
}

it('finds the block in which each fact became true', async () => {
  const range = fc.tuple(fc.nat(1_000), fc.integer({ min: 1, max: 100_000 }));
  const at = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 600 });
  await fc.assert(
    fc.asyncProperty(range, at, async ([low, size], parts) => {
      const firsts = parts.map((part) => low + 1 + Math.floor(part * size));
      const { found } = await find(firsts, { low, high: low + size });
      expect(found).toEqual(firsts.map((first) => ({ low: first - 1, high: first })));
    }),
  );
});

it('looks at 500 blocks a step at most, and many searches take twice the steps of one at most', async () => {
  const range = { low: 0, high: 25_000_000 };
  const one = await find([12_345_678], range);
  expect(one.steps.length).toBeLessThan(11);
  const firsts = Array.from({ length: 250 }, (_, i) => 1 + ((i * 7_919_113) % range.high));
  const many = await find(firsts, range);
  expect(Math.max(...many.steps)).toBeLessThanOrEqual(500);
  expect(many.steps.length).toBeLessThan(21);
});

it('gives up only a search of which a block that decides is not known', async () => {
  const range = { low: 0, high: 1_000 };
  const { found } = await find([400, 700], range, 500);
  expect(found).toEqual([undefined, { low: 699, high: 700 }]);
});

it('looks at nothing for a range of one block, or for none', async () => {
  const look = () => Promise.reject(new Error('it asks'));
  const ranges = [{ low: 4, high: 5 }, undefined];
  expect(await bisect(ranges, look)).toEqual(ranges);
  expect(await bisect([], look)).toEqual([]);
});
