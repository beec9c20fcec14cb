/**
 * The indexer on nodes that are limited, faulty, or lie. Cases without a store's part run on one store;
 * stored results are tested on each.
 */
import { until } from '@hindsight/kernel/test/support/until.ts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rangeAsked, startNodeInFront, type NodeInFront, type Rules } from '../support/node-in-front.ts';
import { TokenChain, type ExpectedToken } from '../support/token-chain.ts';
import { startTokens, type TokensService } from '../support/tokens-service.ts';
import { describeLimits, describeSickness } from './troubled-nodes.contract.ts';

/** Store of an index. */
export interface Storage {
  readonly dataDir: string;
  readonly mongodbUrl?: string | undefined;
}

/** For nodes that answer; a busy machine is slow. */
const PATIENCE_MS = 60_000;
const REACHED_WITHIN_MS = 600_000;
const RANGES = { firstBlocks: 16, maxBlocks: 64, events: 100 };

/** The whole list, as the service answers; it is asked again where its store was too slow. */
export async function wholeList({ app }: TokensService): Promise<ExpectedToken[]> {
  const headers = { 'x-hindsight-plan': 'starter' };
  const ask = () => app.inject({ url: '/v1/eth-mainnet/token?limit=1000', headers });
  let answer = await ask();
  await until('the list can be read', async () => {
    if (answer.statusCode === 503) answer = await ask();
    return answer.statusCode !== 503;
  });
  expect(answer.statusCode).toBe(200);
  return answer.json<{ tokens: ExpectedToken[] }>().tokens;
}

/** Waits until the indexer reports a reason why it cannot continue. */
async function untilSaid({ index }: TokensService, why: RegExp): Promise<void> {
  await until(`the indexer says ${String(why)}`, async () => {
    const { status } = (await index.lease()) ?? {};
    return why.test(status?.detail ?? '');
  });
}

/**
 * The suite. `chain`: has contracts of every kind, all finalized; it is not changed. @param on the store
 * under test
 */
export function describeHostileNodes(
  chain: () => TokenChain,
  fresh: () => Promise<Storage>,
  on: 'node and store' | 'store',
): void {
  let node: NodeInFront;
  let services: TokensService[];
  let storage: Storage;
  beforeEach(async () => {
    services = [];
    node = await startNodeInFront(chain().url);
    storage = await fresh();
  });
  afterEach(async () => {
    for (const service of services) await service.stop();
    await node.close();
  });

  async function start(rules: Rules = {}, timeoutMs = PATIENCE_MS): Promise<TokensService> {
    Object.assign(node.rules, rules);
    const settings = { fromBlock: chain().first, ...RANGES, logsTimeoutMs: timeoutMs };
    const service = await startTokens({ ...storage, nodes: [node.url], settings, nodeTimeoutMs: timeoutMs });
    services.push(service);
    return service;
  }

  async function expectWhole(service: TokensService): Promise<void> {
    const finalized = await chain().finalized();
    await service.reach(finalized, REACHED_WITHIN_MS);
    expect(await wholeList(service)).toEqual(await chain().expected(finalized));
  }

  if (on === 'node and store') {
    describe('The list is the same from a node that', () => {
      describeLimits(() => node, start, expectWhole);
      describeSickness(start, expectWhole);
    });
    describe('The indexer', () => itDoubtsItsNode());
  }
  describe('The index', () => itKeepsUpWithItsChain());

  function itDoubtsItsNode(): void {
    it('does not skip logs that a node has lost, and continues when they are back', async () => {
      const lost = chain().first + 20;
      const service = await start({
        result: (call, result) => ((rangeAsked(call)?.from ?? Infinity) <= lost ? [] : result),
      });
      await untilSaid(service, /left out the logs/);
      expect((await service.index.checkpoint())?.number ?? 0).toBeLessThan(lost);
      delete node.rules.result;
      await expectWhole(service);
    });

    it('waits for state that a node has lost', async () => {
      const lost = (call: { method: string }): { error: { code: number; message: string } } | undefined =>
        call.method === 'eth_call'
          ? {
              error: {
                code: -32000,
                message: 'missing trie node 0xabababab (path ) state is not available',
              },
            }
          : undefined;
      const service = await start({ call: lost });
      await untilSaid(service, /missing trie node/);
      expect(await wholeList(service)).toEqual([]);
      delete node.rules.call;
      await expectWhole(service);
    });

    it('indexes nothing that does not exist when a node claims a too high finalized block', async () => {
      const beyond = '0x' + (chain().first + 5_000).toString(16);
      const tooHigh: Rules['result'] = ({ method, params }, result) =>
        method === 'eth_getBlockByNumber' && params[0] === 'finalized'
          ? { ...(result as object), number: beyond }
          : result;
      const service = await start({ result: tooHigh });
      await untilSaid(service, /answered for another block/);
      expect(await wholeList(service)).toEqual([]);
      delete node.rules.result;
      await expectWhole(service);
      // Blocks that the node has beyond its finalized one are read, and none after them.
      node.rules.result = tooHigh;
      await untilSaid(service, /has no block/);
      const head = (await chain().finalized()) + 64;
      expect((await service.index.checkpoint())!.number).toBeLessThanOrEqual(head);
      expect(await wholeList(service)).toEqual(await chain().expected(head));
    });
  }

  function itKeepsUpWithItsChain(): void {
    it('rechecks a token that had no name', async () => {
      const growing = await TokenChain.start();
      try {
        const proxy = await growing.nameless();
        await growing.mine();
        await growing.finalize();
        node.upstream = growing.url;
        const settings = {
          fromBlock: growing.first,
          lookAgainAfter: [1, 2, 4, 8, 16, 32, 64, 128].map((blocks) => blocks * 12),
        };
        const service = await startTokens({ ...storage, nodes: [node.url], settings });
        services.push(service);
        await service.reach(await growing.finalized());
        expect(await wholeList(service)).toMatchObject([{ name: '', symbol: '' }]);
        await growing.name(proxy);
        await growing.finalize();
        await growing.finalize();
        await service.reach(await growing.finalized());
        // A list in MongoDB has the name before the search does.
        await until('the token is found by its name', async () => {
          await growing.mine();
          const found = await service.app.inject({ url: '/v1/eth-mainnet/token?search=usd%20c' });
          return found.json<{ total: number }>().total === 1;
        });
        expect(await wholeList(service)).toMatchObject([{ name: 'USD Coin', symbol: 'USDC' }]);
      } finally {
        await growing.stop();
      }
    });

    it('refuses to continue if the checkpoint is not on the node’s chain', async () => {
      const service = await start();
      await expectWhole(service);
      await service.stop();
      services.pop();
      const other = await TokenChain.start();
      try {
        await other.grow(8, 1);
        for (let i = 0; i < 3; i++) await other.finalize();
        node.upstream = other.url;
        const again = await start();
        const before = await again.index.checkpoint();
        await untilSaid(again, /it belongs to another chain/);
        expect(await again.index.checkpoint()).toEqual(before);
        expect((await again.index.lease())!.status.state).toBe('halted');
        // Back on its chain it recovers at once.
        node.upstream = chain().url;
        await expectWhole(again);
      } finally {
        await other.stop();
      }
    });
  }
}
