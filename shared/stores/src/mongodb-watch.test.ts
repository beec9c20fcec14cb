import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { MongoClient } from 'mongodb';
import { EventEmitter } from 'node:events';
import { watchClient, type ClientWatch } from './mongodb-watch.ts';
import { StoreUnavailable } from './unavailable.ts';

/** When an answer of the server to a monitor that waits is late, and of one that does not. */
const [AWAITED_MS, ASKED_MS] = [7_500, 7_000];

describe('the watch on the driver', () => {
  let driver: EventEmitter;
  let calls: string[];
  let connect: () => Promise<void>;
  let watch: ClientWatch;

  beforeEach(() => {
    jest.useFakeTimers();
    calls = [];
    connect = async () => undefined;
    driver = Object.assign(new EventEmitter(), {
      options: { connectTimeoutMS: 2_500, heartbeatFrequencyMS: 500 },
      close: async () => void calls.push('close'),
      connect: () => {
        calls.push('connect');
        return connect();
      },
    });
    const logger = createLogger({ name: 'test', level: 'silent' });
    watch = watchClient(driver as unknown as MongoClient, logger, 5_000);
    watch.start();
  });
  afterEach(async () => {
    await watch.stop();
    jest.useRealTimers();
  });

  const started = (connectionId: string, awaited: boolean): void =>
    void driver.emit('serverHeartbeatStarted', { connectionId, awaited });
  /** @returns the calls of that time */
  const after = async (milliseconds: number): Promise<string[]> => {
    await jest.advanceTimersByTimeAsync(milliseconds);
    return calls.splice(0);
  };

  it.each([
    ['that waits', true, AWAITED_MS],
    ['that asks', false, ASKED_MS],
  ])('reconnects once a monitor %s is late at two looks', async (_, awaited, lateMs) => {
    started('a:1', awaited);
    // The first look after that is the first of the two.
    const firstLook = Math.floor(lateMs / 1_000) * 1_000 + 1_000;
    expect(await after(firstLook + 999)).toEqual([]);
    expect(await after(1)).toEqual(['close', 'connect']);
    // The requests of before are over.
    expect(await after(10_000)).toEqual([]);
  });

  it.each(['serverHeartbeatSucceeded', 'serverHeartbeatFailed', 'serverClosed'])(
    'leaves a server alone after %s',
    async (event) => {
      started('a:1', false);
      await after(6_000);
      driver.emit(event, { connectionId: 'a:1', address: 'a:1' });
      expect(await after(10_000)).toEqual([]);
    },
  );

  it('lets a process that was suspended hear the answers first', async () => {
    started('a:1', false);
    expect(await after(8_000)).toEqual([]);
    driver.emit('serverHeartbeatSucceeded', { connectionId: 'a:1' });
    await after(1_000);
    started('a:1', false);
    // Looks that were late before do not count.
    expect(await after(8_999)).toEqual([]);
    expect(await after(1)).toEqual(['close', 'connect']);
  });

  const waited = (): Promise<unknown> =>
    watch
      .note(
        Promise.reject(
          new StoreUnavailable(
            'MongoDB',
            Object.defineProperty(new Error(), 'name', { value: 'MongoWaitQueueTimeoutError' }),
          ),
        ),
      )
      .catch((error: unknown) => error);

  it('reconnects once no operation has got a connection for a time', async () => {
    expect(await waited()).toBeInstanceOf(StoreUnavailable);
    await after(3_000);
    await waited();
    // Since the first of them: at the looks after 6 and 7 seconds.
    expect(await after(3_999)).toEqual([]);
    expect(await after(1)).toEqual(['close', 'connect']);
    expect(await after(20_000)).toEqual([]);
  });

  it.each([
    ['has succeeded', () => watch.note(Promise.resolve('read'))],
    [
      'has failed otherwise',
      () => watch.note(Promise.reject(new StoreUnavailable('MongoDB', new Error()))).catch(() => 'failed'),
    ],
  ])('does not where one %s since', async (_, other) => {
    await waited();
    expect(typeof (await other())).toBe('string');
    expect(await after(20_000)).toEqual([]);
  });

  it('tries again every second until it is connected, once at a time, and ends with its client', async () => {
    const answer = Promise.withResolvers<void>();
    connect = () => answer.promise;
    await waited();
    expect(await after(20_000)).toEqual(['close', 'connect']);
    connect = () => Promise.reject(new Error('no server'));
    answer.reject(new Error('no server'));
    expect(await after(1_999)).toEqual(['close', 'connect']);
    let stopped = false;
    const stopping = watch.stop().then(() => (stopped = true));
    await stopping;
    expect(stopped).toBe(true);
    expect(await after(20_000)).toEqual([]);
  });
});
