import { expect, it, jest } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { ThresholdReached } from '@hindsight/usage/alerts/ports.ts';
import { alertRelay } from './publish-alerts.ts';

it('publishes fifty at a time until none waits, and marks them afterwards', async () => {
  const waiting = [50, 2, 0];
  const calls: string[] = [];
  const relay = alertRelay({
    alerts: {
      async claim({ now, until: end }, limit) {
        calls.push(`claim ${limit} for ${end - now}`);
        return Array.from({ length: waiting.shift() ?? 0 }, (_, at): ThresholdReached => {
          return { project: `p${at}`, month: '2026-11', threshold: 80, requests: 80, limit: 100, at };
        });
      },
      published: async (alerts) => void calls.push(`published ${alerts.length}`),
    },
    bus: { publish: async (_topic, events) => void calls.push(`publish ${events.length}`) },
    clock: { now: () => 1_000 },
    logger: createLogger({ name: 'test', level: 'silent' }),
  });
  const claim = 'claim 50 for 60000';
  jest.useFakeTimers();
  try {
    relay.start();
    await jest.advanceTimersByTimeAsync(0);
    expect(calls.splice(0)).toEqual([
      ...[claim, 'publish 50', 'published 50'],
      ...[claim, 'publish 2', 'published 2'],
    ]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(calls).toEqual([claim]);
    await relay.stop();
  } finally {
    jest.useRealTimers();
  }
});
