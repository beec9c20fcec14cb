import { describe, expect, it } from '@jest/globals';
import { counts, statusOf } from './counts.ts';

describe('what is counted', () => {
  it('is what a service answered, but for refusals and what the client has already', () => {
    const free = Array.from({ length: 500 }, (_, i) => i + 100).filter((status) => !counts(status));
    expect(free.slice(0, 4)).toEqual([304, 401, 403, 429]);
    expect(free.slice(4)).toEqual(Array.from({ length: 100 }, (_, i) => i + 500));
  });

  it('has few statuses: a seldom one is counted as the first of its class', () => {
    expect([200, 404, 422].map(statusOf)).toEqual([200, 404, 422]);
    expect([203, 418, 499, 302].map(statusOf)).toEqual([200, 400, 400, 300]);
    const all = new Set(Array.from({ length: 400 }, (_, i) => statusOf(i + 100)));
    expect(all.size).toBeLessThanOrEqual(15);
  });
});
