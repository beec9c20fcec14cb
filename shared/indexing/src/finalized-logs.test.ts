/** The first block of an index, at a node in memory that may lack it. */
import { expect, it } from '@jest/globals';
import { numberToQuantity } from '@hindsight/chain/rpc/hex.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { createFinalizedLogs } from './finalized-logs.ts';

const WANTED = 7;
const { signal } = new AbortController();

/** The first block at a node. @param own its answer about the wanted block @param earliest its first block, if any */
function firstAt(own: 'there' | 'absent' | NodeError, earliest: number | null): Promise<number> {
  const headerOf = (number: number) => {
    const hash = `0x${'aa'.repeat(32)}`;
    return { number: numberToQuantity(number), hash, parentHash: hash, timestamp: '0x1' };
  };
  const node: EthereumNode = {
    label: 'a node',
    async send([call]) {
      if (call!.params[0] === 'earliest') return [{ result: earliest === null ? null : headerOf(earliest) }];
      if (own instanceof NodeError) return [{ error: own }];
      return [{ result: own === 'there' ? headerOf(WANTED) : null }];
    },
    close: async () => undefined,
  };
  const reduction = { topics: [], start: () => ({ found: null, take: () => undefined }), join: () => null };
  return createFinalizedLogs(node, reduction, 1_000).firstFrom(WANTED, signal);
}

it.each([
  ['there', 3, WANTED],
  ['absent', 10, 10],
  // It lacks single blocks.
  ['absent', 3, WANTED],
  ['absent', null, WANTED],
  [new NodeError('unknown-block', 'header not found'), 10, 10],
  [new NodeError('missing-state', 'pruned'), 10, 10],
] as const)(
  'is the wanted one, or the first that the node has after it: %s, %p',
  async (own, earliest, first) => {
    expect(await firstAt(own, earliest)).toBe(first);
  },
);

it('is not known where the node does not say', async () => {
  const busy = new NodeError('busy', 'too many requests');
  await expect(firstAt(busy, 10)).rejects.toBe(busy);
});
