/** Two networks on one store, in one process or two: nothing of one may ever be listed for the other. */
import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TokenStoreSettings } from '../src/open-index.ts';
import type { TokenIndex } from '../src/ports.ts';
import { createTokens, openTokenIndexes, readStoredIndexes, TOKENS_API } from '../src/service.ts';
import { addressOf, appendAll, rangeOf, tokenOf } from './adapters/index.fixtures.contract.ts';

/** A new, empty store. */
export interface NetworkStore {
  readonly settings: TokenStoreSettings;
  close(): Promise<void>;
}

type Answer = Readonly<Record<string, unknown>>;

const BASE: Network = { ...ETH_MAINNET, name: 'base-mainnet', chainId: 8453 };
/** Equal addresses, heights and numbers of changes on both: only the names differ. */
const named = (name: string) => [tokenOf(1, { name, symbol: name }), tokenOf(2, { name, symbol: name })];
const NAMES: ReadonlyMap<Network, string> = new Map([
  [ETH_MAINNET, 'First'],
  [BASE, 'Second'],
]);

/** @param open makes a store */
export function describeTokenNetworks(open: () => Promise<NetworkStore>): void {
  let store: NetworkStore;
  let lifecycles: Lifecycle[];
  beforeEach(async () => {
    store = await open();
    lifecycles = [];
  });
  afterEach(async () => {
    await Promise.all(lifecycles.map((lifecycle) => lifecycle.shutdown('the test is over')));
    await store.close();
  });

  /** A process that serves these networks; each list is filled by the first process that opens it. */
  async function start(...networks: readonly Network[]) {
    const logger = createLogger({ name: 'test', level: 'silent' });
    const lifecycle = createLifecycle(logger);
    lifecycles.push(lifecycle);
    const indexes = await openTokenIndexes(networks, store.settings, lifecycle);
    const lists = networks.map((network) => ({ network, list: indexes.get(network.name)! }));
    const app = createTokens({ lists, logger, lifecycle, ids: randomIds, telemetry: createTelemetry() });
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const { statusCode, payload, headers: received } = await app.inject({ url: path, headers });
      return { status: statusCode, etag: String(received.etag), body: JSON.parse(payload || '{}') as Answer };
    };
    return { indexes, ask };
  }

  async function fill(indexes: ReadonlyMap<string, TokenIndex>): Promise<void> {
    for (const [network, name] of NAMES) {
      const index = indexes.get(network.name);
      if (index) await appendAll(index, named(name), [110]);
    }
  }

  const listOf = ({ name }: Network): string => `/v1/${name}/token`;
  const expectOwn = (network: Network, { status, body }: { status: number; body: Answer }): void => {
    expect([status, body.network_name, body.chain_id]).toEqual([200, network.name, network.chainId]);
    expect(JSON.stringify(body)).toContain(NAMES.get(network));
  };

  describe('of two networks on one store', () => {
    it.each(['one process', 'a process each'])('each is listed from its own index: %s', async (how) => {
      const both = how === 'one process' ? await start(ETH_MAINNET, BASE) : undefined;
      const [first, second] = both ? [both, both] : [await start(ETH_MAINNET), await start(BASE)];
      await fill(first.indexes);
      if (!both) await fill(second.indexes);
      const paths = TOKENS_API.flatMap(({ path, aliases }) => [path, ...aliases]).map((path) =>
        path.endsWith('single') ? `${path}?token_address=${addressOf(1)}` : path,
      );
      for (const path of paths) {
        for (const network of [ETH_MAINNET, BASE, ETH_MAINNET, BASE]) {
          const process = network === ETH_MAINNET ? first : second;
          expectOwn(network, await process.ask(path.replace(':network', network.name)));
        }
      }
    });

    it('what is indexed of one is not in the other', async () => {
      const { indexes, ask } = await start(ETH_MAINNET, BASE);
      await appendAll(indexes.get(ETH_MAINNET.name)!, named('First'), [110]);
      expect((await ask(listOf(BASE))).body).toMatchObject({ total: 0, tokens: [] });
      expect(await indexes.get(BASE.name)!.checkpoint()).toBeNull();
      expect(await indexes.get(BASE.name)!.unseen([addressOf(1).toLowerCase()])).toHaveLength(1);
      const lease = { holder: 'one', until: 10, status: {} } as never;
      expect(await indexes.get(ETH_MAINNET.name)!.claim(lease, 0)).toBe(true);
      const other = { holder: 'other', until: 10, status: {} } as never;
      expect(await indexes.get(BASE.name)!.claim(other, 0)).toBe(true);
    });

    it('a kept page and its ETag are one network’s, also when the other’s list changes', async () => {
      const { indexes, ask } = await start(ETH_MAINNET, BASE);
      await fill(indexes);
      const { etag } = await ask(listOf(ETH_MAINNET));
      expect((await ask(listOf(BASE), { 'if-none-match': etag })).status).toBe(200);
      const base = indexes.get(BASE.name)!;
      await base.append(await base.checkpoint(), rangeOf(111, 120, [tokenOf(40)]));
      expect((await ask(listOf(ETH_MAINNET), { 'if-none-match': etag })).status).toBe(304);
      expect((await ask(listOf(BASE))).body).toMatchObject({ total: 3 });
    });

    it.each(TOKENS_API)('$path refuses a network that is not served', async ({ path }) => {
      const { ask } = await start(ETH_MAINNET, BASE);
      const { status, body } = await ask(path.replace(':network', 'third-net'));
      expect([status, body.message]).toEqual([
        404,
        'Unknown network third-net; supported: eth-mainnet, base-mainnet',
      ]);
    });

    it('each has its own line in /readyz', async () => {
      const { ask } = await start(ETH_MAINNET, BASE);
      const { body } = await ask('/readyz');
      expect((body.parts as { name: string }[]).map(({ name }) => name)).toEqual(
        expect.arrayContaining(['token index of eth-mainnet', 'token index of base-mainnet']),
      );
    });

    it('each is found by its name where all of a store are read', async () => {
      const { indexes } = await start(ETH_MAINNET, BASE);
      await fill(indexes);
      const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
      lifecycles.push(lifecycle);
      const stored = await readStoredIndexes(store.settings, lifecycle);
      const found = await Promise.all(
        stored.map(async ({ network, list }) => [network, (await list.find(addressOf(1)))?.name]),
      );
      expect(Object.fromEntries(found)).toEqual({ 'eth-mainnet': 'First', 'base-mainnet': 'Second' });
    });

    it('a list of another chain is refused, with both', async () => {
      await fill((await start(BASE)).indexes);
      const other = { ...BASE, chainId: 84_532 };
      await expect(start(other)).rejects.toThrow(
        'is of base-mainnet (chain 8453), not of base-mainnet (chain 84532)',
      );
    });
  });
}
