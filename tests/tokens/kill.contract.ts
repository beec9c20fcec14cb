/** An indexer that is killed with -9 repeatedly, on any store. */
import { expect, it } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '@hindsight/devchain/client.ts';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { toQuantity } from 'ethers';
import { runUntilKilled } from '../support/kill-indexer.ts';
import { startNodeInFront, type Rules } from '../support/node-in-front.ts';
import type { TokenChain } from '../support/token-chain.ts';
import { startTokens, type TokensService } from '../support/tokens-service.ts';
import { wholeList, type Storage } from './hostile.contract.ts';

/** The node's calls before an indexer is killed. */
const MAX_CALLS = 16;
const WITHIN_MS = 600_000;
/** Much less than the node's delay, so that the indexer is killed at the intended call. */
const LOOK_EVERY_MS = 2;
/**
 * After this many kills at the most, the indexer lives until it has made progress, three times at the least: on a slow store
 * the calls alone may not get so far.
 */
const FRUITFUL_EVERY = 3;

/** The list and the checkpoint at rest: a write under way at the death may reach MongoDB after it. */
async function atRest(reader: TokensService) {
  for (;;) {
    const checkpoint = await reader.index.checkpoint();
    const listed = await wholeList(reader);
    if (isDeepStrictEqual(await reader.index.checkpoint(), checkpoint)) return { checkpoint, listed };
  }
}

async function numberOf({ index }: TokensService): Promise<number> {
  return (await index.checkpoint())?.number ?? -1;
}

/**
 * The test. `chain`: has contracts of every kind, all finalized.
 * @param enough with eight, each phase of an indexer's life is met: its start, its first questions, ranges
 * under way, a write; with five, those in which it writes
 */
export function itSurvivesKills(chain: () => TokenChain, fresh: () => Promise<Storage>, enough: 5 | 8): void {
  const kills = rounds(enough);
  const fruitfulEvery = Math.min(FRUITFUL_EVERY, Math.ceil(kills / 3));

  it(`is whole after its indexer was killed with -9 at ${kills} moments`, async () => {
    const storage = await fresh();
    // Slow, so that some call is always under way.
    const node = await startNodeInFront(chain().url, { delayMs: 8 });
    const reader = await startTokens(storage);
    const settings: Record<string, string> = {
      ETH_RPC_URL: node.url,
      DATA_DIR: storage.dataDir,
      TOKENS_FROM_BLOCK: String(chain().first),
      TOKENS_MOST_BLOCKS: '1',
      TOKENS_RANGES_IN_FLIGHT: '2',
      TOKENS_POLL_MS: '50',
      TOKENS_LEASE_MS: '100',
      ...(storage.mongodbUrl === undefined ? {} : { MONGODB_URL: storage.mongodbUrl }),
    };
    try {
      const deaths: number[] = [];
      const { first } = chain();
      const finalized = await chain().finalized();
      for (let kill = 0; kill < kills; kill++) {
        // However fast it is, there is work left for the indexers after this one.
        const known = first + Math.ceil(((finalized - first) * (kill + 1)) / (kills + 1));
        node.rules.call = await finalizedUpTo(known, chain().url);
        const before = node.calls.length;
        await runUntilKilled(settings, async () => {
          const former = deaths.at(-1) ?? -1;
          if (kill % fruitfulEvery === 0)
            return until(
              'the indexer makes progress',
              async () => (await numberOf(reader)) > former,
              WITHIN_MS,
            );
          // Counted in calls, not in time: the machine does not matter. 7 and 16 have no divisor in common.
          const calls = 1 + ((7 * kill) % MAX_CALLS);
          await until(
            'the indexer asks the node',
            () => node.calls.length >= before + calls,
            WITHIN_MS,
            LOOK_EVERY_MS,
          );
          return sleep((kill * 3) % 20);
        });
        const { checkpoint, listed } = await atRest(reader);
        deaths.push(checkpoint?.number ?? -1);
        // At any moment the list is a prefix of the true one.
        expect(listed).toEqual(await chain().expected(checkpoint?.number ?? 0));
      }
      // It never fell back, and it got on between the deaths.
      expect(deaths).toEqual([...deaths].sort((a, b) => a - b));
      expect(new Set(deaths).size).toBeGreaterThan(2);
      expect(deaths.at(-1)).toBeLessThan(finalized);
      const last = await startTokens({ ...storage, nodes: [chain().url], settings: { fromBlock: first } });
      await last.reach(finalized);
      expect(await wholeList(last)).toEqual(await chain().expected(finalized));
      await last.stop();
    } finally {
      await reader.stop();
      await node.close();
    }
  }, 1_800_000);
}

/** The rule of a node to which no later block is finalized. */
async function finalizedUpTo(block: number, url: string): Promise<NonNullable<Rules['call']>> {
  const result = await ask(url, 'eth_getBlockByNumber', toQuantity(block), false);
  return ({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized' ? { result } : undefined;
}
