import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import { id } from 'ethers';
import { createJsonRpcNode } from '../rpc/json-rpc.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { resultOf, type EthereumNode, type RpcCall } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import type { Block } from '../state/block.ts';
import { readHeaders } from '../state/headers.ts';
import { KnownBlocks } from '../state/known-blocks.ts';
import type { BlockRange } from './block-range.ts';
import { BLOCK_BYTES } from './full-blocks.ts';
import type { Log } from './log.ts';
import { LogSearch, type LogPart } from './log-search.ts';

const FILTER = { address: TOKENS.uni.address, topics: [id('Transfer(address,address,uint256)')] };

let devchain: Devchain;
let node: EthereumNode;
let all: readonly Log[];
let head: Block;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  node = createJsonRpcNode({ url: devchain.url, timeoutMs: 60_000 });
  head = (await readHeaders(node, [CHAIN.head]))[0]!;
  all = (await collect(searchOf(node))).flatMap(({ logs }) => logs);
  expect(all.length).toBeGreaterThan(40);
});
afterAll(async () => {
  await node.close();
  await devchain.stop();
});

interface SearchSetting {
  /** Last finalized height; by default the head. */
  readonly finalized?: number;
  readonly clock?: Clock;
  readonly known?: KnownBlocks;
}

const STOPPED: Clock = { now: () => 1_000_000 };

function searchOf(own: EthereumNode, setting: SearchSetting = {}): LogSearch {
  const { finalized = CHAIN.head, clock = STOPPED, known = new KnownBlocks(clock) } = setting;
  known.learnFinalizedHeight(finalized);
  return new LogSearch({ node: own, known, clock });
}

async function collect(
  search: LogSearch,
  descending = false,
  deadline = Infinity,
  to = head,
): Promise<LogPart[]> {
  const parts: LogPart[] = [];
  const range = { from: CHAIN.story, to };
  for await (const part of search.search([FILTER], range, { descending, deadline })) parts.push(part);
  return parts;
}

type RawHeader = Readonly<Record<string, unknown>>;
type AlteredNode = EthereumNode & { asked: number; header: (header: RawHeader) => RawHeader };

/** The node, except that some questions get an error or another answer. */
function altered(alter: (range: BlockRange, logs: unknown) => unknown): AlteredNode {
  const rangeOf = ({ params }: RpcCall): BlockRange => {
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    return { from: Number(fromBlock), to: Number(toBlock) };
  };
  const self: AlteredNode = {
    label: 'a node',
    asked: 0,
    header: (header) => header,
    async send(calls: readonly RpcCall[]) {
      self.asked += 1;
      const outcomes = await node.send(calls);
      return outcomes.map((outcome, i) => {
        const call = calls[i]!;
        if (call.method !== 'eth_getLogs') return { result: self.header(resultOf(outcome) as RawHeader) };
        const answer = alter(rangeOf(call), resultOf(outcome));
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
    expect(places((await collect(searchOf(open))).flatMap(({ logs }) => logs))).toEqual(places(all));
    expect(open.asked).toBe(1);
  });

  it.each([false, true])(
    'finds all where only small ranges are allowed (descending: %s)',
    async (descending) => {
      const strict = altered(({ from, to }, logs) =>
        to - from < 7 ? logs : new NodeError('refused', 'eth_getLogs is limited to a 7 block range'),
      );
      const search = searchOf(strict);
      const parts = await collect(search, descending);
      const ascending = descending ? parts.toReversed() : parts;
      expect(places(ascending.flatMap(({ logs }) => logs))).toEqual(places(all));
      for (const [i, { from }] of ascending.entries())
        expect(from).toBe(i === 0 ? CHAIN.story : ascending[i - 1]!.to + 1);
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
    const parts = await collect(searchOf(pruned), true);
    expect(parts.at(-1)?.from).toBe(first);
    const found = parts.toReversed().flatMap(({ logs }) => logs);
    expect(places(found)).toEqual(places(all.filter(({ block }) => block >= first)));
    expect(pruned.asked).toBeLessThan(60);
    await expect(collect(searchOf(pruned))).rejects.toMatchObject({ kind: 'missing-state' });
  });

  it('learns nothing from a node that refuses all for a moment', async () => {
    let isSick = true;
    const sick = altered((_range, logs) => (isSick ? new NodeError('refused', 'Internal error') : logs));
    const search = searchOf(sick);
    await expect(collect(search, true)).rejects.toMatchObject({ kind: 'refused' });
    isSick = false;
    const asked = sick.asked;
    expect(places((await collect(search)).flatMap(({ logs }) => logs))).toEqual(places(all));
    expect(sick.asked).toBe(asked + 1);
  });

  it('asks for all at once again, a minute after a node has refused that', async () => {
    let most = 7;
    let now = 1_000_000;
    const sick = altered(({ from, to }, logs) =>
      to - from < most ? logs : new NodeError('refused', 'Internal error'),
    );
    const search = searchOf(sick, { clock: { now: () => now } });
    expect((await collect(search)).length).toBeGreaterThan(20);
    most = Infinity;
    expect((await collect(search)).length).toBeGreaterThan(20);
    now += 60_000;
    expect(await collect(search)).toHaveLength(1);
  });

  it('does not take a node without the method for one that allows small ranges', async () => {
    const none = altered(
      () => new NodeError('refused', 'the method eth_getLogs does not exist/is not available'),
    );
    await expect(collect(searchOf(none))).rejects.toMatchObject({ kind: 'refused' });
    expect(none.asked).toBe(1);
  });

  it.each([true, false])('asks for the last blocks by hash, unless they are final (%s)', async (isFinal) => {
    const search = searchOf(node, { finalized: isFinal ? CHAIN.head : CHAIN.head - 1 });
    const parts = await collect(search, true);
    expect(parts[0]!.from).toBe(isFinal ? CHAIN.story : CHAIN.head - 3);
    expect(places(parts.toReversed().flatMap(({ logs }) => logs))).toEqual(places(all));
  });

  it('takes a larger answer about a block that alone is more than one about a range may be', async () => {
    const full = all[0]!.block;
    const room: (number | undefined)[] = [];
    const tooLarge: EthereumNode = {
      ...node,
      async send(calls, options) {
        const [{ fromBlock: from, toBlock: to }] = calls.at(-1)!.params as [
          { fromBlock?: string; toBlock?: string },
        ];
        const isAsked = Number(from) <= full && full <= Number(to);
        if (isAsked) room.push(options?.maxBytes);
        if (isAsked && options?.maxBytes !== BLOCK_BYTES)
          throw new NodeError('malformed', 'too much', { tooLarge: true });
        return node.send(calls, options);
      },
    };
    const parts = await collect(searchOf(tooLarge));
    expect(places(parts.flatMap(({ logs }) => logs))).toEqual(places(all));
    expect(room.slice(0, -1).every((bytes) => bytes === undefined)).toBe(true);
    expect(room.at(-1)).toBe(BLOCK_BYTES);
  });

  it('takes a larger answer about the last blocks, which are asked for together', async () => {
    let refused = 0;
    const tooLarge: EthereumNode = {
      ...node,
      async send(calls, options) {
        const isByHash = calls.some(
          ({ params }) => (params[0] as { blockHash?: string }).blockHash !== undefined,
        );
        if (!isByHash || options?.maxBytes === BLOCK_BYTES) return node.send(calls, options);
        refused += 1;
        throw new NodeError('malformed', 'too much', { tooLarge: true });
      },
    };
    const parts = await collect(searchOf(tooLarge, { finalized: CHAIN.head - 1 }));
    expect(places(parts.flatMap(({ logs }) => logs))).toEqual(places(all));
    expect(refused).toBe(1);
  });

  it('asks again where the last block was dropped between its header and its logs', async () => {
    const to = (await readHeaders(node, [all.at(-1)!.block]))[0]!;
    let isDropped = true;
    // Nodes may carry out the calls of a request in parallel, and some answer an unknown hash with an empty list.
    const fickle: EthereumNode = {
      ...node,
      async send(calls) {
        const outcomes = await node.send(calls);
        if (!isDropped) return outcomes;
        if (calls.some(({ params }) => (params[0] as { blockHash?: string }).blockHash !== undefined))
          return outcomes.map((outcome, i) =>
            calls[i]!.method === 'eth_getLogs' ? { result: [] } : outcome,
          );
        if (calls.length > 1) return outcomes;
        isDropped = false;
        return [{ result: { ...(resultOf(outcomes[0]) as RawHeader), hash: `0x${'d'.repeat(64)}` } }];
      },
    };
    const parts = await collect(searchOf(fickle, { finalized: to.number - 1 }), false, Infinity, to);
    expect(places(parts.flatMap(({ logs }) => logs))).toEqual(places(all));
    expect(isDropped).toBe(false);
  });

  it('asks again where a node has another block in place of a last one’s parent', async () => {
    const parent = all.at(-1)!.block;
    const withLogs = new Set(all.map(({ block }) => block));
    let quiet = parent - 1;
    while (withLogs.has(quiet)) quiet -= 1;
    const [other, to] = (await readHeaders(node, [quiet, parent + 1])) as [Block, Block];
    let isElsewhere = true;
    const fickle: EthereumNode = {
      ...node,
      async send(calls) {
        const outcomes = await node.send(calls);
        if (!isElsewhere) return outcomes;
        return outcomes.map((outcome, i) => {
          const { method, params } = calls[i]!;
          if (method !== 'eth_getBlockByNumber' || Number(params[0]) !== parent) return outcome;
          isElsewhere = false;
          return { result: { ...(resultOf(outcome) as RawHeader), hash: other.hash } };
        });
      },
    };
    const parts = await collect(searchOf(fickle, { finalized: to.number - 3 }), true, Infinity, to);
    expect(places(parts.toReversed().flatMap(({ logs }) => logs))).toEqual(places(all));
    expect(isElsewhere).toBe(false);
  });

  it.each([CHAIN.head, 0])(
    'ends with an error where the last block is another one (final: %i)',
    async (finalized) => {
      const known = new KnownBlocks({ now: () => 1_000_000 });
      const dead = { ...head, hash: `0x${'d'.repeat(64)}` };
      known.learn('latest', dead);
      const search = searchOf(node, { finalized, known });
      await expect(collect(search, true, Infinity, dead)).rejects.toMatchObject({ kind: 'unknown-block' });
      expect(known.find('latest')).toBeUndefined();
    },
  );

  it.each([false, true])(
    'ends with an error where parts are of two chains (descending: %s)',
    async (descending) => {
      const strict = altered(({ from, to }, logs) =>
        to - from < 50 ? logs : new NodeError('refused', 'eth_getLogs is limited to a 50 block range'),
      );
      strict.header = (header) => ({ ...header, parentHash: `0x${'d'.repeat(64)}` });
      const parts = collect(searchOf(strict), descending);
      await expect(parts).rejects.toMatchObject({ kind: 'unknown-block' });
    },
  );

  it('ends early when its time is up', async () => {
    expect(await collect(searchOf(node), true, performance.now() - 1)).toEqual([]);
  });

  it.each([
    ['of another contract', { address: TOKENS.usdc.address }],
    ['of another block', { blockNumber: '0x1' }],
    ['of another event', { topics: [id('Approval(address,address,uint256)')] }],
    ['that was removed', { removed: true }],
  ])('refuses a log %s', async (_what, change) => {
    const liar = altered((_range, logs) => (logs as object[]).map((log) => ({ ...log, ...change })));
    await expect(collect(searchOf(liar))).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('refuses logs of two blocks of one height', async () => {
    const liar = altered((_range, logs) => {
      const [first, ...others] = logs as object[];
      return [first, { ...first, blockHash: `0x${'d'.repeat(64)}` }, ...others];
    });
    await expect(collect(searchOf(liar))).rejects.toMatchObject({ kind: 'malformed' });
  });
});
