import { expect, it } from '@jest/globals';
import { numberToQuantity } from '../rpc/hex.ts';
import type { EthereumNode } from '../rpc/node.ts';
import { Member } from './member.ts';

/** A member whose node reports heads as told, at moments as told. */
function memberWith(): { report: (head: number, atMs: number) => Promise<number> } {
  let [head, now] = [0, 0];
  const answer = ({ method }: { method: string }): { result: string } => ({
    result: method === 'eth_chainId' ? '0x1' : numberToQuantity(head),
  });
  const node: EthereumNode = {
    label: 'a node',
    send: async (calls) => calls.map(answer),
    close: async () => undefined,
  };
  const member = new Member(node, {
    chainId: 1,
    clock: { now: () => now },
    logger: undefined,
    circuit: { failures: 5, openMs: 500, maxOpenMs: 5_000 },
    bulkhead: { concurrency: 1, queue: 1 },
  });
  const report = async (newHead: number, atMs: number): Promise<number> => {
    [head, now] = [newHead, atMs];
    await member.send([{ method: 'eth_blockNumber', params: [] }], { signal: undefined, timeoutMs: 1_000 });
    return member.highestHead;
  };
  return { report };
}

it('the highest head is believed for a minute while others of its machines are behind', async () => {
  const { report } = memberWith();
  expect(await report(105, 0)).toBe(105);
  for (let at = 1; at <= 10; at++) expect(await report(at % 3 === 0 ? 105 : 101, at * 2_000)).toBe(105);
  expect(await report(101, 70_000)).toBe(105);
  expect(await report(102, 80_000)).toBe(102);
});

it('a head that has moved back is believed after some seconds of lower reports', async () => {
  const { report } = memberWith();
  await report(105, 0);
  for (let at = 1; at <= 5; at++) expect(await report(99, at * 500)).toBe(105);
  expect(await report(99, 3_500)).toBe(99);
});

it('few reports do not move a head back', async () => {
  const { report } = memberWith();
  await report(105, 0);
  for (let at = 1; at <= 3; at++) expect(await report(99, at * 10_000)).toBe(105);
});
