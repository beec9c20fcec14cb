import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBalancer } from '@hindsight/chain/test/support/lagging-nodes.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { TokenChain } from '../support/token-chain.ts';
import { startTokens } from '../support/tokens-service.ts';
import { describeHostileNodes, wholeList } from './hostile.contract.ts';
import { describeTokenList } from './list.contract.ts';
import { itSurvivesKills } from './kill.contract.ts';

describe('Token index in SQLite', () => {
  let chain: TokenChain;
  const folders: string[] = [];
  const fresh = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
    folders.push(folder);
    return folder;
  };
  beforeAll(async () => {
    chain = await TokenChain.startWithEveryKind();
  });
  afterAll(async () => {
    await chain.stop();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  describeTokenList(async () => ({ dataDir: fresh() }));
  describeHostileNodes(
    () => chain,
    async () => ({ dataDir: fresh() }),
    'node and store',
  );

  itSurvivesKills(
    () => chain,
    async () => ({ dataDir: fresh() }),
    8,
  );

  it('begins at the first block that the node has, and says so', async () => {
    const service = await startTokens({ dataDir: fresh(), nodes: [chain.url] });
    try {
      await service.reach(await chain.finalized());
      expect((await service.index.checkpoint())?.from).toBe(chain.first);
      const words = `the index begins at block ${chain.first}: no earlier one is in it yet`;
      // The round that reached the block reports at its end.
      await until(words, async () => (await service.app.inject({ url: '/readyz' })).body.includes(words));
    } finally {
      await service.stop();
    }
  });

  it('has all tokens where some of the nodes behind a URL are far behind', async () => {
    const nodes = [0, 0, 100, 0, 0, 120].map(
      (lag) => ({ lag, beyond: lag > 100 ? 'nothing' : 'part' }) as const,
    );
    const balancer = await startBalancer(chain.url, nodes);
    const service = await startTokens({
      dataDir: fresh(),
      nodes: [balancer.url],
      settings: { fromBlock: chain.first, firstBlocks: 20 },
    });
    try {
      const finalized = await chain.finalized();
      await service.reach(finalized);
      expect(await wholeList(service)).toEqual(await chain.expected(finalized));
    } finally {
      await service.stop();
      await balancer.close();
    }
  });

  it('is the one of the chain that was finalized, whatever was reorganised before', async () => {
    const wavering = await TokenChain.start();
    const service = await startTokens({
      dataDir: fresh(),
      nodes: [wavering.url],
      settings: { fromBlock: wavering.first },
    });
    try {
      await wavering.grow(10, 1);
      await wavering.finalize();
      for (let i = 0; i < 3; i++) {
        const undo = await wavering.snapshot();
        await wavering.grow(30, 1);
        await service.reach(await wavering.finalized());
        await undo();
        await wavering.erc20(`After ${i}`, 'AFTER');
        await wavering.grow(35, 0);
      }
      await wavering.finalize();
      const finalized = await wavering.finalized();
      await service.reach(finalized);
      expect(await wholeList(service)).toEqual(await wavering.expected(finalized));
    } finally {
      await service.stop();
      await wavering.stop();
    }
  });
});
