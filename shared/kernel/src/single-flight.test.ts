import { describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { ClientLeft } from './errors.ts';
import { SingleFlight } from './single-flight.ts';

/** Work that ends when the test says so. */
function work(): {
  run: (signal: AbortSignal) => Promise<string>;
  done: (value: string) => void;
  signals: AbortSignal[];
} {
  const signals: AbortSignal[] = [];
  let done: (value: string) => void = () => undefined;
  const run = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      signals.push(signal);
      done = resolve;
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  return { run, done: (value) => done(value), signals };
}

describe('work with concurrent callers', () => {
  it('is done once, and again for a later caller', async () => {
    const flights = new SingleFlight<string, string>();
    const { run, done, signals } = work();
    const shares = [flights.join('a', run), flights.join('a', run), flights.join('b', async () => 'other')];
    expect(shares.map(({ isFirst }) => isFirst)).toEqual([true, false, true]);
    done('one');
    expect(await Promise.all(shares.map(({ result }) => result))).toEqual(['one', 'one', 'other']);
    expect(signals).toHaveLength(1);
    expect(flights.join('a', async () => 'two').isFirst).toBe(true);
  });

  it('continues while one of them waits', async () => {
    const flights = new SingleFlight<string, string>();
    const { run, done, signals } = work();
    const [first, second] = [flights.join('a', run), flights.join('a', run)];
    first.leave();
    first.leave();
    expect(signals[0]?.aborted).toBe(false);
    done('one');
    expect(await second.result).toBe('one');
    second.leave();
    expect(signals[0]?.aborted).toBe(false);
  });

  it('is aborted when all have left, and a later caller starts it again', async () => {
    const flights = new SingleFlight<string, string>();
    const { run, done, signals } = work();
    const leaving = [new AbortController(), new AbortController()];
    const waits = leaving.map(({ signal }) => flights.waitFor(flights.join('a', run), signal));
    leaving[0]?.abort();
    expect(signals[0]?.aborted).toBe(false);
    leaving[1]?.abort();
    expect(signals[0]?.aborted).toBe(true);
    await Promise.all(waits.map((wait) => expect(wait).rejects.toBeInstanceOf(ClientLeft)));
    const again = flights.join('a', run);
    expect(again.isFirst).toBe(true);
    done('new');
    expect(await again.result).toBe('new');
  });

  it('fails for all of them, and is forgotten', async () => {
    const flights = new SingleFlight<string, string>();
    const fail = (): Promise<string> => Promise.reject(new Error('no'));
    const share = flights.join('a', fail);
    await expect(share.result).rejects.toThrow('no');
    expect(flights.join('a', async () => 'yes').isFirst).toBe(true);
  });

  it('keeps no listener on a signal that was waited with, and does not wait for one that is aborted', async () => {
    const flights = new SingleFlight<string, string>();
    const { run, done, signals } = work();
    const { signal } = new AbortController();
    const waiting = flights.waitFor(flights.join('a', run), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    done('one');
    await waiting;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    const left = flights.waitFor(flights.join('a', run), AbortSignal.abort());
    await expect(left).rejects.toBeInstanceOf(ClientLeft);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  it('is not forgotten when work that all have left ends after it', async () => {
    const flights = new SingleFlight<string, string>();
    const [old, next] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const first = flights.join('a', () => old.promise);
    first.leave();
    expect(flights.join('a', () => next.promise).isFirst).toBe(true);
    old.resolve('old');
    await first.result;
    const share = flights.join('a', () => Promise.resolve('a third'));
    expect(share.isFirst).toBe(false);
    next.resolve('new');
    expect(await share.result).toBe('new');
  });
});
