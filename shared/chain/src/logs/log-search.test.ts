import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import { id } from 'ethers';
import { createJsonRpcNode } from '../rpc/json-rpc.ts';
import { resultOf, type EthereumNode, type RpcCall } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import type { BlockRange } from './block-range.ts';
import type { Log } from './log.ts';
import { LogSearch, type LogPart } from './log-search.ts';

const WHOLE = { from: CHAIN.genesis, to: CHAIN.head };
const FILTER = { address: TOKENS.uni.address, topics: [id('Transfer(address,address,uint256)')] };

let devchain: Devchain;
let node: EthereumNode;
let all: readonly Log[];

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  node = createJsonRpcNode({ url: devchain.url });
  all = (await collect(new LogSearch(node))).flatMap(({ logs }) => logs);
  expect(all.length).toBeGreaterThan(40);
});
afterAll(async () => {
  await node.close();
  await devchain.stop();
});

async function collect(search: LogSearch, descending = false, deadline = Infinity): Promise<LogPart[]> {
  const parts: LogPart[] = [];
  for await (const part of search.search([FILTER], WHOLE, { descending, deadline })) parts.push(part);
  return parts;
}

/** The node, except that some questions get an error or another answer. */
function altered(alter: (range: BlockRange, logs: unknown) => unknown): EthereumNode & { asked: number } {
  const rangeOf = ({ params }: RpcCall): BlockRange => {
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    return { from: Number(fromBlock), to: Number(toBlock) };
  };
  const self = {
    label: 'a node',
    asked: 0,
    async send(calls: readonly RpcCall[]) {
      self.asked += 1;
      const outcomes = await node.send(calls);
      return outcomes.map((outcome, i) => {
        const answer = alter(rangeOf(calls[i]!), resultOf(outcome));
        return answer instanceof NodeError ? { error: answer } : { result: answer };
      });
    },
    close: async () => undefined,
  };
  return self;
}

const places = (logs: readonly Log[]): unknown =>
  logs.map(({ block, transactionHash }) => [block, transactionHash]);

describe('a search of logs', () => {
  it('takes one request where the node allows that', async () => {
    const open = altered((_range, logs) => logs);
    expect(places((await collect(new LogSearch(open))).flatMap(({ logs }) => logs))).toEqual(places(all));
    expect(open.asked).toBe(1);
  });

  it.each([false, true])(
    'finds all where only small ranges are allowed (descending: %s)',
    async (descending) => {
      const strict = altered(({ from, to }, logs) =>
        to - from < 7 ? logs : new NodeError('refused', 'eth_getLogs is limited to a 7 block range'),
      );
      const search = new LogSearch(strict);
      const parts = await collect(search, descending);
      const ascending = descending ? parts.toReversed() : parts;
      expect(places(ascending.flatMap(({ logs }) => logs))).toEqual(places(all));
      for (const [i, { from }] of ascending.entries())
        expect(from).toBe(i === 0 ? WHOLE.from : ascending[i - 1]!.to + 1);
      const { asked } = strict;
      await collect(search, descending);
      expect(strict.asked - asked).toBeLessThan(60);
    },
  );

  it('from the last block down ends where the node’s logs begin', async () => {
    const first = CHAIN.head - 99;
    const pruned = altered(({ from }, logs) =>
      from >= first ? logs : new NodeError('missing-state', 'pruned history unavailable'),
    );
    const parts = await collect(new LogSearch(pruned), true);
    expect(parts.at(-1)?.from).toBe(first);
    const found = parts.toReversed().flatMap(({ logs }) => logs);
    expect(places(found)).toEqual(places(all.filter(({ block }) => block >= first)));
    expect(pruned.asked).toBeLessThan(60);
    await expect(collect(new LogSearch(pruned))).rejects.toMatchObject({ kind: 'missing-state' });
  });

  it('ends early when its time is up', async () => {
    expect(await collect(new LogSearch(node), true, performance.now() - 1)).toEqual([]);
  });

  it.each([
    ['of another contract', { address: TOKENS.usdc.address }],
    ['of another block', { blockNumber: '0x1' }],
    ['of another event', { topics: [id('Approval(address,address,uint256)')] }],
    ['that was removed', { removed: true }],
  ])('refuses a log %s', async (_what, change) => {
    const liar = altered((_range, logs) => (logs as object[]).map((log) => ({ ...log, ...change })));
    await expect(collect(new LogSearch(liar))).rejects.toMatchObject({ kind: 'malformed' });
  });
});
