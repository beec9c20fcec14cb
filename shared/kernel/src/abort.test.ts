import { describe, expect, it } from '@jest/globals';
import { whenAllAborted } from './abort.ts';

describe('a signal of several', () => {
  it('aborts when the last of them does, with a reason', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const { signal } = whenAllAborted([one.signal, other.signal]);
    one.abort(new Error('first'));
    expect(signal?.aborted).toBe(false);
    other.abort(new Error('second'));
    expect([signal?.aborted, signal?.reason]).toEqual([true, new Error('first')]);
  });

  it('has aborted where all of them have already', () => {
    expect(whenAllAborted([AbortSignal.abort(), AbortSignal.abort()]).signal?.aborted).toBe(true);
  });

  it('is none where one of them can never abort, or there are none', () => {
    expect(whenAllAborted([AbortSignal.abort(), undefined]).signal).toBeUndefined();
    expect(whenAllAborted([]).signal).toBeUndefined();
  });

  it('stays as it is once it is released', () => {
    const one = new AbortController();
    const { signal, release } = whenAllAborted([one.signal]);
    release();
    one.abort();
    expect(signal?.aborted).toBe(false);
  });
});
