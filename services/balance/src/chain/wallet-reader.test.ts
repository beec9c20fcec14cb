import { describe, expect, it } from '@jest/globals';
import type { LogPart, LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { ETH_MAINNET as network } from '@hindsight/chain/networks.ts';
import { KnownBlocks } from '@hindsight/chain/state/known-blocks.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { nodeOnDevchain } from '../../test/support/on-devchain.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { systemClock as clock } from '@hindsight/kernel/clock.ts';
import { TokenRowReader } from './token-rows.ts';
import { WalletReader } from './wallet-reader.ts';

const node = forAllTests(nodeOnDevchain, 'close');

describe('a search for what a wallet has', () => {
  it.each([100, 3_000, 120_000])('gets half of the %s ms of a request', async (deadlineMs) => {
    const reader = new ChainReader({ node, network, clock, known: new KnownBlocks(clock) });
    const asked: { atMs: number; deadline: number | undefined }[] = [];
    const logs = {
      firstBlock: async () => ({ number: CHAIN.story, isChains: true }),
      async *search(
        ...[, { from, to }, { deadline }]: Parameters<LogSearch['search']>
      ): AsyncGenerator<LogPart> {
        asked.push({ atMs: performance.now(), deadline });
        yield { from, to: to.number, logs: [] };
      },
    };
    const wallets = new WalletReader({ reader, rows: new TokenRowReader(reader, network), logs, deadlineMs });
    const block = await reader.findBlock(CHAIN.head, undefined);
    const begun = performance.now();
    const never = new AbortController().signal;
    await wallets.readHoldings(block, HOLDERS.alice, undefined, never);
    await wallets.readApprovals(block, HOLDERS.alice, undefined, never);
    expect(asked).toHaveLength(2);
    for (const { atMs, deadline = NaN } of asked) {
      expect(deadline).toBeGreaterThanOrEqual(begun + deadlineMs / 2);
      expect(deadline).toBeLessThanOrEqual(atMs + deadlineMs / 2);
    }
  });
});
