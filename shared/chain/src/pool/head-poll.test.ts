import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { HeadPoll } from './head-poll.ts';
import type { Member } from './member.ts';

let polls: AbortSignal[];
let poll: HeadPoll;

beforeEach(() => {
  jest.useFakeTimers();
  polls = [];
  const member = {
    isDown: false,
    poll: async (_everyMs: number, { signal }: { signal: AbortSignal }) => void polls.push(signal),
  } as unknown as Member;
  poll = new HeadPoll([member], { everyMs: 4_000, idleMs: 60_000 });
});
afterEach(() => void jest.useRealTimers());

it('polls from the first use on, and again from the next one after a pause', () => {
  poll.touch();
  expect(polls).toHaveLength(1);
  jest.advanceTimersByTime(200_000);
  expect(polls).toHaveLength(1 + 60_000 / 4_000);
  expect(jest.getTimerCount()).toBe(0);
  poll.touch();
  jest.advanceTimersByTime(4_000);
  expect(polls).toHaveLength(1 + 60_000 / 4_000 + 2);
});

it('ends its requests when it is stopped, and begins no other', () => {
  poll.touch();
  expect(polls[0]?.aborted).toBe(false);
  poll.stop();
  expect(polls[0]?.aborted).toBe(true);
  poll.touch();
  jest.advanceTimersByTime(10_000);
  expect([polls.length, jest.getTimerCount()]).toEqual([1, 0]);
});
