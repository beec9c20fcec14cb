import { until } from '@hindsight/kernel/test/support/until.ts';
import { expect, it } from '@jest/globals';
import { CounterCopying } from './copying.ts';

it('says up to when all is counted with its first word', async () => {
  const words: unknown[] = [];
  const copying = new CounterCopying({
    copy: {
      put: async () => undefined,
      vouch: async (_epoch, countedTo) => {
        words.push(countedTo);
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
  await until('it has vouched', () => words.length > 0);
  await copying.stop();
  expect(words[0]).toBe(5_000);
});
