import { expect, it } from '@jest/globals';
import type { FinalizedBlock } from '@hindsight/indexing/finalized-logs.ts';
import { RecentBlock } from './recent-block.ts';

const { signal } = new AbortController();

/** One of a chain that grows by a block with every question. */
function growing(): { readonly recent: RecentBlock; readonly pass: (ms: number) => void } {
  let now = 0;
  let number = 0;
  const finalized = async (): Promise<FinalizedBlock> => {
    number += 1;
    return { number, hash: `0x${number}`, parentHash: `0x${number - 1}`, timestamp: 12 * number };
  };
  const recent = new RecentBlock({ finalized }, { now: () => now });
  return { recent, pass: (ms) => void (now += ms) };
}

const heightIn = (recent: RecentBlock): Promise<number> => recent.ask(signal, async ({ number }) => number);

it('asks at one block for half a minute', async () => {
  const { recent, pass } = growing();
  expect(await heightIn(recent)).toBe(1);
  pass(29_999);
  expect(await heightIn(recent)).toBe(1);
  expect((await recent.read(signal)).number).toBe(1);
  pass(1);
  expect(await heightIn(recent)).toBe(2);
});

it('asks at a later block once a question failed: the node may never have had that one', async () => {
  const { recent } = growing();
  const refusal = new Error('no such block');
  await expect(recent.ask(signal, () => Promise.reject(refusal))).rejects.toBe(refusal);
  expect(await heightIn(recent)).toBe(2);
});

it('keeps the later block when another question at the former one fails', async () => {
  const { recent } = growing();
  expect(await heightIn(recent)).toBe(1);
  let fail = (_: Error): void => undefined;
  const slow = recent.ask(signal, () => new Promise((_, reject) => (fail = reject)));
  await expect(recent.ask(signal, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(await heightIn(recent)).toBe(2);
  fail(new Error('refused late'));
  await expect(slow).rejects.toThrow('refused late');
  expect(await heightIn(recent)).toBe(2);
});
