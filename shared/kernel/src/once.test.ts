import { describe, expect, it } from '@jest/globals';
import { once } from './once.ts';

describe('work that is done once', () => {
  it('is done on first use, for all concurrent callers', async () => {
    let done = 0;
    const get = once(async () => ++done);
    expect(done).toBe(0);
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    expect(await get()).toBe(1);
  });

  it('is retried on the next use after a failure', async () => {
    let tries = 0;
    const get = once(async () => {
      if (++tries === 1) throw new Error('not yet');
      return tries;
    });
    const both = await Promise.allSettled([get(), get()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(tries).toBe(1);
    expect(await get()).toBe(2);
  });
});
