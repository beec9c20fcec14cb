import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { RedisStore } from '@hindsight/stores/redis.ts';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { joinPeers } from './redis-peers.ts';

const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** The numbers of gateways after each announcement, by what Redis answers: is the caller new, and how many are there? */
async function numbersAfter(answers: readonly (readonly [isNew: 0 | 1, count: number] | 'fails')[]) {
  const left = [...answers];
  const script = () => async () => {
    const answer = left.shift();
    if (answer === 'fails') throw new Error('Redis is unavailable');
    return answer;
  };
  const gateways = await joinPeers({ script } as unknown as RedisStore, 'one', lifecycle);
  const numbers = [gateways()];
  while (left.length > 0) {
    await jest.advanceTimersByTimeAsync(1_000);
    numbers.push(gateways());
  }
  return numbers;
}

it('counts those that come at once, and those that are gone', async () => {
  expect(
    await numbersAfter([
      [1, 1],
      [0, 2],
      [0, 4],
      [0, 4],
      [0, 3],
    ]),
  ).toEqual([1, 2, 4, 4, 3]);
});

it('keeps the last number while Redis is unavailable', async () => {
  expect(await numbersAfter([[1, 4], [0, 4], [0, 4], 'fails', 'fails'])).toEqual([4, 4, 4, 4, 4]);
});

it('is not alone because Redis was emptied: others have yet to announce themselves', async () => {
  expect(
    await numbersAfter([
      [1, 4],
      [0, 4],
      [1, 1],
      [0, 3],
      [0, 4],
    ]),
  ).toEqual([4, 4, 4, 4, 4]);
  // Of those that do not come back it hears two rounds later.
  expect(
    await numbersAfter([
      [1, 4],
      [0, 4],
      [1, 1],
      [0, 2],
      [0, 2],
    ]),
  ).toEqual([4, 4, 4, 4, 2]);
});

it('keeps the last number while Redis forgets again and again', async () => {
  expect(
    await numbersAfter([
      [1, 4],
      [1, 1],
      [1, 2],
      [0, 1],
      [1, 1],
      [1, 1],
    ]),
  ).toEqual([4, 4, 4, 4, 4, 4]);
});

it('hears at once of more than it knew', async () => {
  expect(
    await numbersAfter([
      [1, 2],
      [1, 1],
      [0, 5],
    ]),
  ).toEqual([2, 2, 5]);
});
