import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { EventEmitter } from 'node:events';
import { withinDeadline } from './within-deadline.ts';

const raw = new EventEmitter();
let ended: AbortSignal;
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Work that lasts until this. */
function work<T>(lasts: Promise<T>): Promise<T> {
  return withinDeadline({ raw } as unknown as FastifyReply, 1_000, (signal) => {
    ended = signal;
    return lasts;
  });
}

it('work is told when its answer is made, late, or wanted no more, and nothing is left of it', async () => {
  expect(await work(Promise.resolve(7))).toBe(7);
  expect(ended.aborted).toBe(true);
  const late = expect(work(new Promise(() => undefined))).rejects.toMatchObject({ statusCode: 504 });
  await jest.advanceTimersByTimeAsync(999);
  expect(ended.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  await late;
  expect(ended.aborted).toBe(true);
  expect([raw.listenerCount('close'), jest.getTimerCount()]).toEqual([0, 0]);
  const answer = Promise.withResolvers<number>();
  const left = work(answer.promise);
  raw.emit('close');
  expect(ended.reason).toMatchObject({ message: 'the caller has left' });
  answer.resolve(8);
  expect(await left).toBe(8);
});
