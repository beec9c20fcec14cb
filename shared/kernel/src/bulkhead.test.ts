import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { Bulkhead } from './bulkhead.ts';

afterEach(() => void jest.useRealTimers());

const open = (concurrency: number, queue: number): Bulkhead =>
  new Bulkhead({ concurrency, queue }, () => new Error('full'));

describe('a bulkhead', () => {
  it('gives its slots at once, lets a limited number wait, and refuses the rest', async () => {
    const bulkhead = open(2, 1);
    expect([bulkhead.enter(), bulkhead.tryEnter(), bulkhead.tryEnter()]).toEqual([undefined, true, false]);
    const waiting = bulkhead.enter();
    expect(bulkhead.isFull).toBe(true);
    await expect(bulkhead.enter()).rejects.toThrow('full');
    bulkhead.leave();
    await waiting;
    expect(bulkhead.isFull).toBe(false);
    bulkhead.leave();
    expect([bulkhead.tryEnter(), bulkhead.tryEnter()]).toEqual([true, false]);
  });

  it('admits in order of arrival', async () => {
    const bulkhead = open(1, 3);
    void bulkhead.enter();
    const order: number[] = [];
    const all = [1, 2, 3].map(async (one) => {
      await bulkhead.enter();
      order.push(one);
      bulkhead.leave();
    });
    bulkhead.leave();
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3]);
  });

  it('forgets one that waits too long, or is aborted', async () => {
    const bulkhead = open(1, 1);
    void bulkhead.enter();
    await expect(bulkhead.enter(1)).rejects.toThrow('full');
    const leaving = new AbortController();
    const waiting = bulkhead.enter(Infinity, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    expect(bulkhead.isFull).toBe(false);
    bulkhead.leave();
    expect([bulkhead.tryEnter(), bulkhead.tryEnter()]).toEqual([true, false]);
  });

  it('leaves no timer and no listener of a wait that has ended', async () => {
    jest.useFakeTimers();
    const bulkhead = open(1, 1);
    void bulkhead.enter();
    const { signal } = new AbortController();
    const waiting = bulkhead.enter(1_000, signal);
    expect([jest.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([1, 1]);
    bulkhead.leave();
    await waiting;
    expect([jest.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  });
});
