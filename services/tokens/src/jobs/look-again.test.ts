import { expect, it } from '@jest/globals';
import { HOUR_MS } from '@hindsight/kernel/durations.ts';
import { LOOK_AGAIN_AFTER } from '../domain/token.ts';
import type { Checkpoint, NewLook } from '../ports.ts';
import { lookAgain } from './look-again.ts';
import { RangePreparer } from './prepare-range.ts';

type Deps = Parameters<typeof lookAgain>[0];

it.each([0.25, 12])('looks at a nameless token for a month, at a block every %d s', async (blockSeconds) => {
  const hour = HOUR_MS / 1000;
  const blockAt = (hours: number) => {
    const number = 1_000_000 + (hours * hour) / blockSeconds;
    return { number, hash: '0x2', parentHash: '0x1', timestamp: 1_700_000_000 + hours * hour };
  };
  const token = {
    address: '0x1',
    blockHeight: 1,
    type: 'erc20' as const,
    name: '',
    symbol: '',
    decimals: null,
  };
  const looked: number[] = [];
  let next = { lookAt: 0 as number | null, looks: 0 };
  const base = {} as Checkpoint;
  const index = {
    due: async (time: number) =>
      next.lookAt !== null && next.lookAt <= time ? [{ token, looks: next.looks }] : [],
    noteLooks: async (_: Checkpoint, [look]: readonly NewLook[]) => {
      next = { lookAt: look!.lookAt, looks: next.looks + 1 };
      return base;
    },
  };
  const deps = { index, judge: { names: async () => token }, lookAgainAfter: LOOK_AGAIN_AFTER };
  for (let hours = 0; hours <= 24 * 60; hours++) {
    const { looks } = next;
    await lookAgain(deps as unknown as Deps, base, blockAt(hours), new AbortController().signal);
    if (next.looks > looks) looked.push(hours);
  }
  expect(looked).toEqual([0, 24, 24 * 8, 24 * 38]);
});

it('looks for the first time an hour after the block whose names were read', async () => {
  const names = { name: '', symbol: '', decimals: null };
  const now = { number: 900, hash: '0x9', parentHash: '0x8', timestamp: 1_700_000_000 };
  const deps = {
    index: { unseen: async (addresses: readonly string[]) => addresses },
    judge: { judge: async () => ({ type: 'erc20', names }) },
    recent: { read: async () => now, ask: async () => names },
    lookAgainAfter: LOOK_AGAIN_AFTER,
  };
  const preparer = new RangePreparer(deps as unknown as ConstructorParameters<typeof RangePreparer>[0]);
  const address = `0x${'1a'.repeat(20)}`;
  const found = new Map([[address, { address, block: 5, blockHash: '0x5', index: 0 }]]);
  const reading = { from: 5, to: 5, hash: '0x5', count: 1, found } as unknown as Parameters<
    RangePreparer['prepare']
  >[0];
  const { signal } = new AbortController();
  const retry = { signal } as unknown as Parameters<RangePreparer['prepare']>[1];
  const { tokens } = await preparer.additions(await preparer.prepare(reading, retry), signal);
  expect(tokens).toMatchObject([{ blockHeight: 5, lookAt: 1_700_003_600 }]);
});
