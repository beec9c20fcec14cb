/** Logs of ether: from which block on there are some, as headers show on networks of which that is known. */
import { describe, expect, it } from '@jest/globals';
import { NETWORKS, type Network } from '../networks.ts';
import type { EthereumNode } from '../rpc/node.ts';
import type { Block } from '../state/block.ts';
import { EtherLogs } from './ether-logs.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const OTHER_HASH = `0x${'cd'.repeat(32)}`;
const FORK = 600;
const NONE_FINAL = { isFinalized: () => false };

interface Header {
  /** A field of the fork, as JSON gives it; undefined leaves it out. */
  readonly field: unknown;
  readonly hash?: string;
}

/** @param headerOf null where the node lacks the block; asked with the number of the request, from 1 */
function open(
  headerOf: (height: number, request: number) => Header | null,
  network: Pick<Network, 'etherLogsShownBy'> = { etherLogsShownBy: 'block-access-lists' },
): { logs: EtherLogs; asked: () => number } {
  let asked = 0;
  const node: EthereumNode = {
    label: 'node',
    async send(calls) {
      asked += 1;
      return calls.map(({ params: [number] }) => {
        const header = headerOf(Number(number), asked);
        if (header === null) return { result: null };
        const { field, hash = HASH } = header;
        return { result: { number, hash, parentHash: HASH, timestamp: number, blockAccessListHash: field } };
      });
    },
    close: () => Promise.resolve(),
  };
  return { logs: new EtherLogs({ node, network, known: NONE_FINAL }), asked: () => asked };
}

const block = (number: number): Block => ({ number, hash: HASH, parentHash: HASH, timestamp: number });

describe('logs of ether', () => {
  it.each([
    ['no such field before it', undefined],
    ['null before it, as some nodes give fields of forks to come', null],
  ])('begin with the first header that has a hash of access lists: %s', async (_what, before) => {
    const { logs } = open((height) => ({ field: height < FORK ? before : HASH }));
    expect(await logs.firstIn(1, block(FORK - 1))).toBeUndefined();
    expect(await logs.firstIn(1, block(FORK))).toBe(FORK);
    expect(await logs.firstIn(1, block(1_000))).toBe(FORK);
    expect(await logs.firstIn(FORK + 1, block(1_000))).toBe(FORK + 1);
  });

  it.each([['0x'], [''], [`0x${'ab'.repeat(31)}`], [true], [0], [{}]])(
    'are not concluded from %j, which is no hash',
    async (field) => {
      await expect(open(() => ({ field })).logs.firstIn(1, block(2))).rejects.toMatchObject({
        kind: 'malformed',
      });
    },
  );

  it.each([
    ['has another block at the end of the range, from before the fork', { field: null, hash: OTHER_HASH }],
    ['has another one, from after it', { field: HASH, hash: OTHER_HASH }],
    ['lacks it', null],
  ])('are not concluded from a node that %s', async (_what, end) => {
    const behind = open((height) => (height === FORK ? end : { field: null }));
    await expect(behind.logs.firstIn(1, block(FORK))).rejects.toMatchObject({ kind: 'unknown-block' });
    const { logs } = open((height, request) =>
      height === FORK && request === 1 ? end : { field: height < FORK ? null : HASH },
    );
    expect(await logs.firstIn(1, block(FORK))).toBe(FORK);
  });

  it('are not concluded from a header of a node that has another end of the range', async () => {
    // It lags behind those that answered before.
    const { logs } = open((height, request) =>
      request === 2 ? { field: HASH, hash: OTHER_HASH } : { field: height < FORK ? null : HASH },
    );
    expect(await logs.firstIn(1, block(1_000))).toBe(FORK);
  });

  it('are not concluded on a network of which it is not known that the field shows them', async () => {
    const { logs, asked } = open(() => ({ field: HASH }), {});
    expect(await logs.firstIn(1, block(1_000))).toBeUndefined();
    expect(asked()).toBe(0);
  });

  it('are shown so on Ethereum’s networks alone', () => {
    const shown = [...NETWORKS.values()].filter(({ etherLogsShownBy }) => etherLogsShownBy);
    expect(shown.map(({ name }) => name)).toEqual(['eth-mainnet', 'sepolia']);
  });
});
