import { expect, it } from '@jest/globals';
import { adviceOn } from './faults.ts';

it.each([
  ['Wait 1 s before the next call', new Date(0)],
  ['Wait before the next call', undefined],
])('of a limit it says, as far as it is known, for how long to wait: %s', (advice, retryAt) => {
  const error = { name: 'RateLimited', message: 'Burst limit exceeded', status: 429, retryAt };
  expect(adviceOn(error)).toBe(`Burst limit exceeded. ${advice}, or ask for less at once.`);
});

it('of a limit of the month it says to tell the user: a model that waited would never answer', () => {
  const error = {
    ...{ name: 'RateLimited', message: 'Monthly limit exceeded.', status: 429 },
    retryAt: new Date(Date.now() + 86_400_000),
  };
  expect(adviceOn(error)).toMatch(/^Monthly limit exceeded\. Tell the user, and do not wait: /);
});

it.each([
  [404, 'block_not_canonical', /^No\. Begin again with the first call/],
  [409, 'not_indexed', /^No\. Tell the user; calling again does not help/],
  [404, 'unknown_name', /^No\. Check the address/],
  [409, undefined, /^No\. Correct the argument/],
])('of %s %s it says what helps', (status, code, advice) => {
  expect(adviceOn({ name: 'ApiError', message: 'No', status, code })).toMatch(advice);
});
