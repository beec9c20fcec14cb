/** Chains with a story of their own on anvil, against its plain answers. */
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { FEEDS_PLAN, tryFeeds } from './feeds.ts';
import { expectTrueMortals } from './mortal.contract.ts';
import { anvilWithMortals } from './mortal.ts';
import { AS_SHIPPED, FROM_BYZANTIUM } from './networks.ts';
import { anvilWith } from './stories.ts';

describe('tokens that take fees, rebase and destroy themselves', () => {
  const node = forAllTests(() => anvilWithMortals(), 'stop');

  it('every endpoint is true of them at every block, on anvil', async () => {
    await expectTrueMortals(node, AS_SHIPPED);
    expect(node.name).toBe('anvil');
  });
});

describe('feeds and pools', () => {
  const node = forAllTests(() => anvilWith(FEEDS_PLAN), 'stop');

  it.each([AS_SHIPPED, FROM_BYZANTIUM])('every reading is true at every block, on anvil', async (network) => {
    expect(await tryFeeds(node, network)).toEqual({
      right: FEEDS_PLAN.blocks.length + 1,
      refused: 0,
      faults: [],
    });
  });
});
