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

/** Another instance has the lease. */
function standingBy(release = async (): Promise<void> => undefined, stopMs?: number) {
  const logger = createLogger({ name: 'walks', level: 'silent' });
  const lifecycle = createLifecycle(logger, stopMs);
  const telemetry = createTelemetry('holders');
  const walks = new Walks({
    index: { claim: async () => false, release } as unknown as HolderIndex,
    node: {} as EthereumNode,
    tracks: [],
    network: { ...ETH_MAINNET, firstBlock: 100 },
    logger,
    clock: systemClock,
    ids: randomIds,
    lifecycle,
    telemetry,
  });
  return { walks, telemetry, lifecycle };
}

it('a track that is no longer walked has no measurements, until it is walked again', async () => {
  const { walks, telemetry, lifecycle } = standingBy();
  const measured = async (): Promise<string | undefined> =>
    /^hindsight_holders_indexed_block\{.*track="\*".*\} (.*)$/m.exec(await telemetry.metricsText())?.[1];
  const values: (string | undefined)[] = [];
  for (const number of [5, 6]) {
    walks.begin(ALL_TOKENS, 0);
    walks.reporterOf(ALL_TOKENS)!.begin({ from: 0, number, hash: '0x' }, 9, null);
    values.push(await measured());
    await walks.end(ALL_TOKENS);
    values.push(await measured());
  }
  expect(values).toEqual(['5', undefined, '6', undefined]);
  await lifecycle.shutdown('the end of the test');
});

it('a track begins by a block before the network’s first once it is walked from the first', async () => {
  const { walks, lifecycle } = standingBy();
  expect(walks.beginsBy(ALL_TOKENS, 0)).toBe(false);
  walks.begin(ALL_TOKENS, 150);
  expect([150, 149, 0].map((block) => walks.beginsBy(ALL_TOKENS, block))).toEqual([true, false, false]);
  await walks.end(ALL_TOKENS);
  walks.begin(ALL_TOKENS, 0);
  expect([150, 100, 0].map((block) => walks.beginsBy(ALL_TOKENS, block))).toEqual([true, true, true]);
  await lifecycle.shutdown('the end of the test');
});

it('a walk that a slow store keeps from its end is left behind: nothing is lost', async () => {
  const { walks, lifecycle } = standingBy(() => new Promise(() => undefined), 10);
  walks.begin(ALL_TOKENS, 0);
  expect(await lifecycle.shutdown('the end of the test')).toBe(0);
});
