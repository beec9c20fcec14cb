/** The measurements by which an operator sees that ends of orders are not found. */
import { afterEach, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderStores } from './adapters/open-stores.ts';
import type { OrderStores } from './ports.ts';
import { watchOrders } from './watch-orders.ts';

const folder = mkdtempSync(join(tmpdir(), 'orders-watch-'));
const logger = createLogger({ name: 'test', level: 'silent' });
const lifecycle = createLifecycle(logger);
afterEach(async () => {
  await lifecycle.shutdown('test');
  rmSync(folder, { recursive: true, force: true });
});

it('the age of a search that never begins grows from the start on', async () => {
  const node = carriedJsonRpc({ url: 'http://127.0.0.1:9', timeoutMs: 1_000 });
  const stores = await openOrderStores({ dataDir: folder }, { ids: randomIds, lifecycle });
  let now = 5_000_000;
  const telemetry = createTelemetry('test');
  watchOrders(
    { network: ETH_MAINNET, node },
    {
      ...{ stores, telemetry, logger, lifecycle, ids: randomIds },
      clock: { now: () => now },
      onEnded: () => undefined,
    },
  );
  const age = async (): Promise<string | undefined> =>
    /^hindsight_orders_watch_age\{.*hindsight_network="eth-mainnet".*\} (\S+)$/m.exec(
      await telemetry.metricsText(),
    )?.[1];
  expect(await age()).toBe('0');
  now += 3_000_000;
  expect(await age()).toBe('3000');
  await node.close();
});

it('a search that a slow store keeps from its end is left behind: nothing is lost', async () => {
  const watch = { claim: async () => false, release: () => new Promise(() => undefined) };
  const stopped = createLifecycle(logger, 10);
  watchOrders(
    { network: ETH_MAINNET, node: {} as EthereumNode },
    {
      ...{
        telemetry: createTelemetry('test'),
        logger,
        lifecycle: stopped,
        ids: randomIds,
        clock: systemClock,
      },
      stores: { watch: () => watch } as unknown as OrderStores,
      onEnded: () => undefined,
    },
  );
  expect(await stopped.shutdown('test')).toBe(0);
});
