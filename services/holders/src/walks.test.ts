import { expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { ALL_TOKENS } from './domain/tracks.ts';
import type { HolderIndex } from './ports.ts';
import { Walks } from './walks.ts';

it('a track begins by a block before the network’s first once it is walked from the first', async () => {
  const logger = createLogger({ name: 'walks', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  const walks = new Walks({
    // Another instance has the lease.
    index: { claim: async () => false, release: async () => undefined } as unknown as HolderIndex,
    node: {} as EthereumNode,
    tracks: [],
    network: { ...ETH_MAINNET, firstBlock: 100 },
    logger,
    clock: systemClock,
    ids: randomIds,
    lifecycle,
    telemetry: createTelemetry('holders'),
  });
  expect(walks.beginsBy(ALL_TOKENS, 0)).toBe(false);
  walks.begin(ALL_TOKENS, 150);
  expect([150, 149, 0].map((block) => walks.beginsBy(ALL_TOKENS, block))).toEqual([true, false, false]);
  await walks.end(ALL_TOKENS);
  walks.begin(ALL_TOKENS, 0);
  expect([150, 100, 0].map((block) => walks.beginsBy(ALL_TOKENS, block))).toEqual([true, true, true]);
  await lifecycle.shutdown('the end of the test');
});
