import { expect, it } from '@jest/globals';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { type OpenCopy, openPublisher } from './open-counters.ts';

it('copying that a slow ledger keeps from its end is left behind: any process copies the rest', async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const lifecycle = createLifecycle(logger, 10);
  const open = { progress: { countedTo: () => new Promise(() => undefined) } } as unknown as OpenCopy;
  openPublisher(open, { logger, lifecycle, clock: systemClock })!.start();
  expect(await lifecycle.shutdown('test')).toBe(0);
});
