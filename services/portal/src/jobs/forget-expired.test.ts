import { expect, it } from '@jest/globals';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetExpired } from './forget-expired.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

it('awaits a running pass at shutdown, and starts no other', async () => {
  const lifecycle = createLifecycle(logger);
  const pass = Promise.withResolvers<void>();
  let begun = 0;
  const removeExpired = (): Promise<void> => {
    begun++;
    return pass.promise;
  };
  forgetExpired({ stores: { removeExpired }, clock: systemClock, logger, lifecycle }, 20);
  await until('a pass has begun', () => begun === 1);
  let stopped = false;
  const stopping = lifecycle.shutdown('end of test').then(() => (stopped = true));
  await sleep(200);
  expect(stopped).toBe(false);
  pass.resolve();
  await stopping;
  await sleep(100);
  expect(begun).toBe(1);
});
