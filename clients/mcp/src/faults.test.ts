import { expect, it } from '@jest/globals';
import { adviceOn } from './faults.ts';

it.each([
  ['Wait 1 s before the next call', new Date(0)],
  ['Wait before the next call', undefined],
])('of a limit it says, as far as it is known, for how long to wait: %s', (advice, retryAt) => {
  const error = { name: 'RateLimited', message: 'Burst limit exceeded.', status: 429, retryAt };
  expect(adviceOn(error)).toBe(`Burst limit exceeded. ${advice}, or ask for less at once.`);
});
