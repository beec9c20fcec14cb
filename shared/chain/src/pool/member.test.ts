import { expect, it } from '@jest/globals';
import { numberToQuantity } from '../rpc/hex.ts';
import type { EthereumNode, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { Member } from './member.ts';

interface TimedMember {
  readonly report: (head: number, atMs: number) => Promise<number>;
  /** Number of its questions about kept blocks by then. */
  readonly learn: (atMs: number, capabilities: unknown) => Promise<number>;
}

/** A member whose node reports the given heads at the given moments. */
function memberWith(): TimedMember {
  let [head, now, learnt] = [0, 0, 0];
  let said: unknown;
  const answer = ({ method }: { method: string }): RpcOutcome => {
    if (method !== 'eth_capabilities')
      return { result: method === 'eth_chainId' ? '0x1' : numberToQuantity(head) };
    learnt += 1;
    return said === undefined ? { error: new NodeError('refused', 'no such method') } : { result: said };
  };
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
  const learn = async (atMs: number, capabilities: unknown): Promise<number> => {
    [now, said] = [atMs, capabilities];
    await member.learn({ signal: undefined, timeoutMs: 1_000 });
    return learnt;
  };
  return { report, learn };
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

it('what it keeps is asked again after a minute where it could not say, and after ten where it did', async () => {
  const { learn } = memberWith();
  expect(await learn(0, undefined)).toBe(1);
  expect(await learn(59_000, {})).toBe(1);
  expect(await learn(60_000, {})).toBe(2);
  expect(await learn(659_000, {})).toBe(2);
  expect(await learn(660_000, {})).toBe(3);
});
