import { describe, expect, it, jest } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { backoff, pause, retry } from './retry.ts';

/** Fails `times` times, then answers. */
function failing(times: number): { work: () => Promise<string>; attempts: () => number } {
  let attempts = 0;
  return {
    work: async () => {
      if (++attempts <= times) throw new Error(`failure ${attempts}`);
      return 'done';
    },
    attempts: () => attempts,
  };
}

const pauseMs = (): number => 1;

describe('retry', () => {
  it('tries until it succeeds, and says each failure before it tries again', async () => {
    const { work, attempts } = failing(3);
    const said: unknown[] = [];
    expect(await retry(work, { pauseMs, onRetry: (error) => said.push((error as Error).message) })).toBe(
      'done',
    );
    expect([attempts(), said]).toEqual([4, ['failure 1', 'failure 2', 'failure 3']]);
  });

  it('throws the last error when the attempts are used up', async () => {
    const { work, attempts } = failing(3);
    await expect(retry(work, { pauseMs, attempts: 3 })).rejects.toThrow('failure 3');
    expect(attempts()).toBe(3);
  });

  it('does not try again what another attempt would meet too', async () => {
    const { work, attempts } = failing(3);
    const isTransient = (_error: unknown, attempt: number): boolean => attempt < 2;
    await expect(retry(work, { pauseMs, isTransient })).rejects.toThrow('failure 2');
    expect(attempts()).toBe(2);
  });

  it('pauses as it is told, by attempt and error', async () => {
    const asked: [number, string][] = [];
    await retry(failing(2).work, {
      pauseMs(attempt, error) {
        asked.push([attempt, (error as Error).message]);
        return 0;
      },
    });
    expect(asked).toEqual([
      [1, 'failure 1'],
      [2, 'failure 2'],
    ]);
  });

  it('says nothing of a failure that comes with an abort, and throws it', async () => {
    const stop = new AbortController();
    const said: unknown[] = [];
    const work = async (): Promise<never> => {
      stop.abort(new Error('stopped'));
      throw new Error('cut off');
    };
    const policy = { pauseMs, signal: stop.signal, onRetry: (error: unknown) => void said.push(error) };
    await expect(retry(work, policy)).rejects.toThrow('cut off');
    expect(said).toEqual([]);
  });

  it('begins nothing when it is aborted, and does not wait for its pause', async () => {
    const stop = new AbortController();
    const { work, attempts } = failing(9);
    const tried = retry(work, { pauseMs: () => 1e9, signal: stop.signal });
    await new Promise(setImmediate);
    stop.abort(new Error('stopped'));
    await expect(tried).rejects.toThrow('stopped');
    await expect(retry(work, { pauseMs, signal: stop.signal })).rejects.toThrow('stopped');
    expect(attempts()).toBe(1);
  });
});

it('a pause that its signal ends leaves no timer and no listener, and none is made of one that has ended it', async () => {
  jest.useFakeTimers();
  try {
    const stop = new AbortController();
    const { signal } = stop;
    const left = (): number[] => [jest.getTimerCount(), getEventListeners(signal, 'abort').length];
    const paused = pause(1_000, signal);
    expect(left()).toEqual([1, 1]);
    stop.abort();
    await paused;
    expect(left()).toEqual([0, 0]);
    await pause(1_000, signal);
    const whole = pause(1_000, new AbortController().signal);
    jest.advanceTimersByTime(1_000);
    await whole;
  } finally {
    jest.useRealTimers();
  }
});

it('backoff doubles up to its bound', () => {
  expect([1, 2, 3, 4, 40].map((attempt) => backoff(attempt, 100, 500))).toEqual([100, 200, 400, 500, 500]);
});
