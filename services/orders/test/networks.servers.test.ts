/** Orders of each type, made with the protocol's SDK, on the domain of each network: accepted there, and nowhere else. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NETWORKS, type Network } from '@hindsight/chain/networks.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import fc from 'fast-check';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { REACTORS } from '../src/domain/reactors.ts';
import { runOrders, type RunningOrders } from './support/run-orders.ts';
import { build, casesOf, info, loadSdk, NOW, type Case } from './support/sdk-orders.ts';

const NO_REACTOR = `0x${'0'.repeat(40)}`;
/** Chains that are gone, or were the protocol's own. */
const ABANDONED = new Set(['5', '12341234']);
/** Types that are not accepted. */
const OTHER_TYPES = new Set(['Relay', 'Hybrid']);

/** As data of the orders service alone: wallets are asked on one standard chain for all. */
const SERVED: readonly Network[] = [...NETWORKS.values()].map(({ heightFrom: _, ...network }) => network);

await describeOnInstalled('orders by network', { name: 'uniswapx-sdk', env: process.env }, (folder) => {
  const { sdk } = loadSdk(folder);
  const published = createRequire(join(folder, 'package.json'))('@uniswap/uniswapx-sdk') as {
    REACTOR_ADDRESS_MAPPING: Readonly<Record<string, Readonly<Record<string, string>>>>;
    PERMIT2_MAPPING: Readonly<Record<string, string>>;
  };
  const byType = new Map(casesOf(sdk).map((one) => [one.type, one]));
  const cases = SERVED.flatMap((network) =>
    Object.entries(REACTORS[network.chainId] ?? {}).flatMap(([type, reactors]) =>
      reactors.map((reactor): readonly [string, Network, Case] => [
        `${type} on ${network.name} by ${reactor}`,
        network,
        { ...byType.get(type)!, chainId: network.chainId, reactor },
      ]),
    ),
  );
  let chain: Devchain;
  let orders: RunningOrders;

  beforeAll(async () => {
    chain = await sharedDevchain(process.env);
    orders = await runOrders(chain.url, { everywhere: false, networks: SERVED });
    orders.setTime(NOW);
  });
  afterAll(async () => {
    await orders.stop();
    await chain.stop();
  });

  it('the reactors are those that the protocol publishes, and Permit2 is the same for all', () => {
    const theirs = Object.entries(published.REACTOR_ADDRESS_MAPPING).flatMap(([chainId, reactors]) =>
      Object.entries(reactors)
        .filter(
          ([type, address]) => address !== NO_REACTOR && !OTHER_TYPES.has(type) && !ABANDONED.has(chainId),
        )
        .map(([type, address]) => `${chainId} ${type} ${address}`),
    );
    const ours = Object.entries(REACTORS).flatMap(([chainId, reactors]) =>
      Object.entries(reactors).map(([type, [newest]]) => `${chainId} ${type} ${newest}`),
    );
    expect(ours.sort()).toEqual(theirs.sort());
    for (const chainId of Object.keys(REACTORS))
      expect([chainId, published.PERMIT2_MAPPING[chainId]]).toEqual([chainId, PERMIT2.toLowerCase()]);
  });

  it('there is one of each type', () => {
    expect(new Set(cases.map(([, , { type }]) => type))).toEqual(
      new Set(['Dutch', 'Dutch_V2', 'Dutch_V3', 'Priority']),
    );
    expect(new Set(cases.map(([, { name }]) => name)).size).toBe(8);
  });

  describe('a signed order', () => {
    it.each(cases)('%s: is accepted once, and refused on every other network', async (_what, own, one) => {
      const [[common, terms]] = fc.sample(fc.tuple(info, one.terms), { numRuns: 1, seed: own.chainId }) as [
        [object, object],
      ];
      const { payload } = build(one, { ...terms, ...common });
      const send = ({ name }: Network, body: object): Promise<unknown[]> =>
        orders
          .post(`/v1/${name}/orders/dex-webhook`, JSON.stringify(body))
          .then(({ status, body: answer }) => [status, answer.code ?? answer.duplicate]);
      for (const other of SERVED.filter(({ name }) => name !== own.name)) {
        expect(await send(other, payload)).toEqual([422, 'order_wrong_chain']);
        const replayed = await send(other, { ...payload, chainId: other.chainId });
        expect(replayed).toEqual([
          422,
          expect.stringMatching(/^order_wrong_(?:reactor|signature|cosignature|type)$/),
        ]);
      }
      expect(await send(own, payload)).toEqual([201, false]);
      expect(await send(own, payload)).toEqual([201, true]);
    });
  });
});
