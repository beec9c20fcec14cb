/** Logs of ether: from which block on there are some, as headers show on networks of which that is known. */
import { describe, expect, it } from '@jest/globals';
import { NETWORKS, type Network } from '../networks.ts';
import type { EthereumNode } from '../rpc/node.ts';
import { EtherLogs } from './ether-logs.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const FORK = 600;
const NONE_FINAL = { isFinalized: () => false };

/** @param field a header's field of the fork, as JSON gives it; undefined leaves it out */
function open(
  field: (height: number) => unknown,
  network: Pick<Network, 'etherLogsShownBy'> = { etherLogsShownBy: 'block-access-lists' },
): { logs: EtherLogs; asked: () => number } {
  let asked = 0;
  const node: EthereumNode = {
    label: 'node',
    async send(calls) {
      asked += calls.length;
      return calls.map(({ params: [height] }) => ({
        result: {
          number: height,
          hash: HASH,
          parentHash: HASH,
          timestamp: height,
          blockAccessListHash: field(Number(height)),
        },
      }));
    },
    close: () => Promise.resolve(),
  };
  return { logs: new EtherLogs({ node, network, known: NONE_FINAL }), asked: () => asked };
}

describe('logs of ether', () => {
  it.each([
    ['no such field before it', undefined],
    ['null before it, as some nodes give fields of forks to come', null],
  ])('begin with the first header that has a hash of access lists: %s', async (_what, before) => {
    const { logs } = open((height) => (height < FORK ? before : HASH));
    expect(await logs.firstIn(1, FORK - 1)).toBeUndefined();
    expect(await logs.firstIn(1, FORK)).toBe(FORK);
    expect(await logs.firstIn(1, 1_000)).toBe(FORK);
    expect(await logs.firstIn(FORK + 1, 1_000)).toBe(FORK + 1);
  });

  it.each([['0x'], [''], [`0x${'ab'.repeat(31)}`], [true], [0], [{}]])(
    'are not concluded from %j, which is no hash',
    async (field) => {
      await expect(open(() => field).logs.firstIn(1, 2)).rejects.toMatchObject({ kind: 'malformed' });
    },
  );

  it('are not concluded on a network of which it is not known that the field shows them', async () => {
    const { logs, asked } = open(() => HASH, {});
    expect(await logs.firstIn(1, 1_000)).toBeUndefined();
    expect(asked()).toBe(0);
  });

  it('are shown so on Ethereum’s networks alone', () => {
    const shown = [...NETWORKS.values()].filter(({ etherLogsShownBy }) => etherLogsShownBy);
    expect(shown.map(({ name }) => name)).toEqual(['eth-mainnet', 'sepolia']);
  });
});
