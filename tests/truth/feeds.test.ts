/** Readings of feeds and pools on anvil, against plain calls of their contracts. */
import { expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { FEEDS_PLAN, tryFeeds } from './feeds.ts';
import { AS_SHIPPED, FROM_BYZANTIUM } from './networks.ts';
import { anvilWith } from './stories.ts';

const node = forAllTests(() => anvilWith(FEEDS_PLAN), 'stop');

it.each([AS_SHIPPED, FROM_BYZANTIUM])('every reading is true at every block, on anvil', async (network) => {
  expect(await tryFeeds(node, network)).toEqual({
    right: FEEDS_PLAN.blocks.length + 1,
    refused: 0,
    faults: [],
  });
});
