import { expect, it } from '@jest/globals';
import { nextTurn, Turns } from './turns.ts';

it('lets others run in a loop that takes longer than a turn', async () => {
  let ran = false;
  const turns = new Turns();
  await turns.next();
  setImmediate(() => {
    ran = true;
  });
  const end = performance.now() + 60_000;
  while (!ran && performance.now() < end) await turns.next();
  expect(ran).toBe(true);
});

it('lets others run after the first step of a loop', async () => {
  let ran = false;
  setImmediate(() => {
    ran = true;
  });
  await new Turns().next();
  expect(ran).toBe(true);
});

it('serves one of many loops in a round of the event loop, in the order in which they came', async () => {
  const served: string[] = [];
  for (const name of ['a', 'b', 'c']) void nextTurn().then(() => served.push(name));
  const rounds: string[] = [];
  while (served.length < 3) {
    await new Promise((resolve) => setImmediate(resolve));
    rounds.push(served.join(''));
  }
  expect(rounds).toEqual(['a', 'ab', 'abc']);
});
