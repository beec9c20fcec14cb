import { expect, it } from '@jest/globals';
import { readPages } from './pages.ts';

it.each([0, 1, 2, 3, 4, 5])('reads a list of %i, and one page more only after a full one', async (count) => {
  const list = Array.from({ length: count }, (_, i) => i);
  const asked: (number | undefined)[] = [];
  const pages = readPages<number>(2, async (after) => {
    asked.push(after);
    return list.filter((item) => item > (after ?? -1)).slice(0, 2);
  });
  expect(await Array.fromAsync(pages)).toEqual(list);
  expect(asked).toEqual([undefined, ...list.filter((item) => item % 2 === 1)]);
});
