import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { UnreadAnswers } from './unread-answers.ts';

/** A response that waits for its reader. */
function waiting(bytes: number) {
  const response = Object.assign(new EventEmitter(), {
    writableLength: bytes,
    destroyed: false,
    isCut: false,
    req: { socket: { destroy: () => void (response.isCut = true) } },
  });
  return response;
}

const asResponse = (response: object): ServerResponse => response as ServerResponse;

describe('answers that are not read', () => {
  it('are kept up to a number of bytes; then whose are the most loses the oldest', () => {
    const unread = new UnreadAnswers(100);
    const responses = [10, 40, 40, 40].map(waiting);
    for (const [i, response] of responses.entries()) {
      expect(responses.some(({ isCut }) => isCut)).toBe(false);
      unread.keep(i === 0 ? 'one' : 'other', asResponse(response));
    }
    expect(responses.map(({ isCut }) => isCut)).toEqual([false, true, false, false]);
  });

  it('count by what is left of them, and not once they are read', () => {
    const unread = new UnreadAnswers(100);
    const [first, second] = [waiting(90), waiting(90)];
    unread.keep('one', asResponse(first));
    first.writableLength = 5;
    unread.keep('one', asResponse(first));
    unread.keep('two', asResponse(second));
    expect(second.isCut).toBe(false);
    second.emit('close');
    unread.keep('two', asResponse(waiting(90)));
    expect([first.isCut, second.isCut]).toEqual([false, false]);
  });

  it('are not kept for a reader who has left', () => {
    const unread = new UnreadAnswers(100);
    unread.keep('one', asResponse(Object.assign(waiting(90), { destroyed: true })));
    const other = waiting(90);
    unread.keep('two', asResponse(other));
    expect(other.isCut).toBe(false);
  });
});
