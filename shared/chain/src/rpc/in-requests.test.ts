import { expect, it } from '@jest/globals';
import { forEachAtOnce, readInRequests } from './in-requests.ts';

const numbers = Array.from({ length: 23 }, (_, i) => i);

it('four are worked on at once, each once', async () => {
  const begun: number[] = [];
  let [atOnce, most] = [0, 0];
  await forEachAtOnce(numbers, async (one, at) => {
    expect(one).toBe(at);
    begun.push(one);
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce--;
  });
  expect(begun).toEqual(numbers);
  expect(most).toBe(4);
});

it('none is begun after one has failed', async () => {
  const begun: number[] = [];
  const work = async (one: number): Promise<void> => {
    begun.push(one);
    await Promise.resolve();
    if (one === 2) throw new Error('it failed');
  };
  await expect(forEachAtOnce(numbers, work)).rejects.toThrow('it failed');
  const atFailure = begun.length;
  expect(atFailure).toBeLessThan(8);
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun.length).toBe(atFailure);
});

it('answers are in the order of the questions, however late each part is', async () => {
  const parts: (readonly number[])[] = [];
  const waiting: (() => void)[] = [];
  const found = readInRequests(numbers, 6, async (part) => {
    parts.push(part);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return part.map((one) => one * 10);
  });
  for (let n = 0; n < 4; n++) waiting.pop()!();
  expect(await found).toEqual(numbers.map((one) => one * 10));
  expect(parts.map(({ length }) => length)).toEqual([6, 6, 6, 5]);
  expect(await readInRequests([], 6, () => Promise.reject(new Error('it asks')))).toEqual([]);
});
