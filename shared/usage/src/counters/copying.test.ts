import { until } from '@hindsight/kernel/test/support/until.ts';
import { expect, it } from '@jest/globals';
import { CounterCopying } from './copying.ts';

it('says as of when all is counted the first time that it vouches', async () => {
  const vouched: unknown[] = [];
  const copying = new CounterCopying({
    copy: {
      put: async () => undefined,
      vouch: async (_epoch, countedTo) => {
        vouched.push(countedTo);
        return { number: 1, server: 's' };
      },
    },
    records: {
      readMany: async () => [],
      note: async () => undefined,
      noted: async () => [],
      forget: async () => undefined,
    },
    progress: { countedTo: async () => 5_000 },
    clock: { now: () => 0 },
    onFailure: () => undefined,
    onSuccess: () => undefined,
  });
  copying.start();
  await until('it has vouched', () => vouched.length > 0);
  await copying.stop();
  expect(vouched[0]).toBe(5_000);
});
