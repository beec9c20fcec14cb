import { expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import type { TokenIndex } from './ports.ts';
import { startIndexing } from './service.ts';

it('a walk that a slow store keeps from its end is left behind: nothing is lost', async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const lifecycle = createLifecycle(logger, 10);
  const index = { claim: async () => false, release: () => new Promise(() => undefined) };
  startIndexing({
    ...{ logger, lifecycle, clock: systemClock, ids: randomIds, telemetry: createTelemetry('test') },
    index: index as unknown as TokenIndex,
    network: ETH_MAINNET,
    node: {} as EthereumNode,
  });
  expect(await lifecycle.shutdown('test')).toBe(0);
});
