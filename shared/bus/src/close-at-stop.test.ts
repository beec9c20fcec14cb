import { expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { closeAtStop } from './close-at-stop.ts';
import type { Subscription } from './port.ts';

it('the end of a process closes the subscriptions that it has, and waits for no other', async () => {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const closed: number[] = [];
  const open = (n: number): Subscription => ({ close: async () => void closed.push(n) });
  const never = new Promise<Subscription>(() => undefined);
  const refused = Promise.reject(new Error('no broker'));
  closeAtStop(lifecycle, 'consumers', [Promise.resolve(open(1)), never, refused, Promise.resolve(open(2))]);
  await new Promise(setImmediate);
  expect(await lifecycle.shutdown('the end of the test')).toBe(0);
  expect(closed).toEqual([1, 2]);
});
