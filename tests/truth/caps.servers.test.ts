/**
 * Every endpoint on nodes with the next fork that grant little gas, as providers do: true, and in few requests. One chain is
 * seeded, and its node started with each cap. A share of the questions of each kind; `npm run truth` asks them all.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startNodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { startGeth } from '@hindsight/tools/servers/geth.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FROM_BYZANTIUM } from './networks.ts';
import { seedGeth, type SeededGeth, type SeededNode } from './nodes.ts';
import { startService } from './service.ts';
import { tryNode } from './truth.ts';

const TOKEN = TOKENS.uni.address;
const HOLDER_LIST = Object.values(HOLDERS);
/** Of a snapshot. */
const ROWS = 5_000;
const SHARE = { every: 41, from: 4, step: 16 };

await describeOnServers('a cap on gas after Amsterdam', { env: process.env, own: ['geth-1.17'] }, () => {
  const plan = buildPlan();
  const dataDir = mkdtempSync(join(tmpdir(), 'truth-caps-'));
  const options: SeededGeth = {
    history: 'archive',
    stateScheme: 'hash',
    amsterdamAt: 0,
    dataDir,
    logIndex: false,
  };
  let seeded: SeededNode;

  beforeAll(async () => {
    seeded = await seedGeth(plan, options);
    await seeded.stop();
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  describe.each([
    { millions: 50, share: { ...SHARE, holderHeights: 0 }, most: { single: 1, snapshot: 2, calls: 3 } },
    // With this cap the suite across the fork asks everything.
    { millions: 30, share: undefined, most: { single: 1, snapshot: 2, calls: 3 } },
    { millions: 10, share: SHARE, most: { single: 1, snapshot: 2, calls: 5 } },
  ])('of $millions million', ({ millions, share, most }) => {
    let node: SeededNode;

    beforeAll(async () => {
      const geth = await startGeth({ ...options, gasCap: millions * 1_000_000 });
      node = { ...seeded, url: geth.url, stop: () => geth.stop() };
    });
    afterAll(() => node?.stop());

    if (share !== undefined)
      it('all answers are true, by the data of a revert', async () => {
        const trial = await tryNode(node, FROM_BYZANTIUM, plan, share);
        expect([trial.faults, trial.carrier]).toEqual([[], 'revert']);
        expect(trial.count('right')).toBe(trial.judged.length);
        expect(trial.views.right).toBeGreaterThanOrEqual(20);
        expect([trial.views.refused, trial.searches.refused]).toEqual([0, 0]);
      });

    it('a question takes few requests', async () => {
      const proxy = await startNodeProxy(node.url);
      const service = await startService(proxy.url, FROM_BYZANTIUM);
      try {
        const booked = CHAIN.head - 100;
        const height = node.heightOf(booked);
        const truth = (i: number): string =>
          plan.ledger.balanceAt(TOKEN, HOLDER_LIST[i % HOLDER_LIST.length]!, booked).toString();
        const ask = async (
          path: string,
          body?: string,
        ): Promise<{ text: string; requests: number; calls: number }> => {
          const before = { requests: proxy.requests, calls: proxy.calls };
          const sent =
            body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'text/plain' }, body };
          const text = await (await fetch(`${service.url}/v1/eth-mainnet/balance/${path}`, sent)).text();
          return { text, requests: proxy.requests - before.requests, calls: proxy.calls - before.calls };
        };
        const query = `token_address=${TOKEN}&block_height=${height}`;
        const single = await ask(`single?${query}&holder=${HOLDERS.alice}`);
        expect(JSON.parse(single.text)).toMatchObject({ balance: truth(HOLDER_LIST.indexOf(HOLDERS.alice)) });
        expect(single.requests).toBe(most.single);

        const rows = Array.from({ length: ROWS }, (_, i) => HOLDER_LIST[i % HOLDER_LIST.length]!);
        const snapshot = await ask(`snapshot?${query}`, rows.join('\n'));
        const found = snapshot.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(found.slice(1, -1).map(({ balance }) => balance)).toEqual(rows.map((_, i) => truth(i)));
        expect([snapshot.requests, snapshot.calls]).toEqual([most.snapshot, most.calls]);
      } finally {
        await service.stop();
        await proxy.close();
      }
    });
  });
});
