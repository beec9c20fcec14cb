/** An indexer that is killed with -9, over and over, on whatever store. */
import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { runUntilKilled, until } from '../support/kill-indexer.ts';
import { startNodeInFront } from '../support/node-in-front.ts';
import type { TokenChain } from '../support/token-chain.ts';
import { startTokens } from '../support/tokens-service.ts';
import { wholeList, type Place } from './hostile.contract.ts';

const KILLS = 50;
/** That an indexer asks the node before it is killed. */
const MOST_QUESTIONS = 16;

/** The test. `chain`: has contracts of every kind, all finalized. */
export function itSurvivesKills(chain: () => TokenChain, fresh: () => Promise<Place>): void {
  it(`is whole after its indexer was killed with -9 at ${KILLS} random moments`, async () => {
    const place = await fresh();
    // Slow, so that there is always something under way.
    const node = await startNodeInFront(chain().url, { delayMs: 8 });
    const reader = await startTokens(place);
    const settings: Record<string, string> = {
      ETH_RPC_URL: node.url,
      DATA_DIR: place.dataDir,
      TOKENS_FROM_BLOCK: String(chain().first),
      TOKENS_MOST_BLOCKS: '1',
      TOKENS_RANGES_IN_FLIGHT: '2',
      TOKENS_POLL_MS: '50',
      TOKENS_LEASE_MS: '100',
      ...(place.mongodbUrl === undefined ? {} : { MONGODB_URL: place.mongodbUrl }),
    };
    try {
      const deaths: number[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const before = node.calls.length;
        await runUntilKilled(settings, async () => {
          // Counted in questions, not in time: how far it gets does not depend on the machine.
          const questions = 1 + Math.floor(Math.random() * MOST_QUESTIONS);
          await until('the indexer asks the node', () => node.calls.length >= before + questions);
          await sleep(Math.random() * 20);
        });
        const checkpoint = await reader.index.checkpoint();
        deaths.push(checkpoint?.number ?? -1);
        // What is listed at any moment is the beginning of the true list.
        const listed = await wholeList(reader);
        expect(listed).toEqual(await chain().expected(checkpoint?.number ?? 0));
      }
      // It never fell back, it got on between the deaths, and many came while there was work left.
      const finalized = await chain().finalized();
      expect(deaths).toEqual([...deaths].sort((a, b) => a - b));
      expect(new Set(deaths).size).toBeGreaterThan(2);
      expect(deaths.filter((number) => number < finalized).length).toBeGreaterThan(KILLS / 5);
      const last = await startTokens({
        ...place,
        nodes: [chain().url],
        settings: { fromBlock: chain().first },
      });
      await last.reach(finalized);
      expect(await wholeList(last)).toEqual(await chain().expected(finalized));
      await last.stop();
    } finally {
      await reader.stop();
      await node.close();
    }
  }, 1_800_000);
}
