import { expect, it } from '@jest/globals';
import { Turns } from './turns.ts';

it('lets others run in a loop that takes longer than a turn', async () => {
  let ran = false;
  setImmediate(() => {
    ran = true;
  });
  const turns = new Turns();
  const end = performance.now() + 60_000;
  while (!ran && performance.now() < end) await turns.next();
  expect(ran).toBe(true);
});
