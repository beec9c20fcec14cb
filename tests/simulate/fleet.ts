/** The processes of an installation: gateways with a disk each, metering, balance, and orders on one store. */
import { createBalance } from '@hindsight/balance/service.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { joinNodes } from '@hindsight/chain/pool/open-node.ts';
import { createGateway, createUpstreamsInTurn, type GatewayDeps } from '@hindsight/gateway/service.ts';
import { createOrders } from '@hindsight/orders/service.ts';
import { createMetering } from '@hindsight/metering/service.ts';
import { upstreamTo } from './balance-behind.ts';
import type { ChainNode } from './chain/node.ts';
import type { Customers } from './customers.ts';
import type { Network } from './machine/network.ts';
import type { Pace } from './pace.ts';
import { Place, type PlaceDeps, type Start } from './place.ts';
import { createService } from './service-behind.ts';
import type { Store } from './store.ts';

interface Deps extends PlaceDeps {
  readonly network: Network;
  readonly store: Store;
  readonly customers: Customers;
  readonly nodes: readonly ChainNode[];
  readonly pace: Pace;
}

/** Milliseconds for one question, over all nodes. */
const NODE_TIMEOUT_MS = 5_000;

/**
 * Pauses between looks of orders at their store, the usual ones or longer, and those between notes of how far counting has come:
 * most of a run's events would be looks that find nothing.
 */
const LOOKS_MS = { busy: [250, 2_000, 2_000, 2_000], withQuietHours: [10_000, 30_000, 60_000] };
const PROGRESS_EVERY_MS = { busy: 10_000, withQuietHours: 60_000 };

/** @param balance the instances of the balance service */
export function openGateway(name: string, balance: readonly Place[], deps: Deps): Place {
  const { customers, machine, network, plant } = deps;
  return new Place(name, deps, async (platform, bus, dataDir) => {
    const service = createService(machine);
    const instances = balance.map((place) => upstreamTo(place, machine, network));
    const inTurn = createUpstreamsInTurn(instances, platform.clock);
    const upstreams: GatewayDeps['upstreams'] = {
      balance: plant?.balance?.(inTurn) ?? inTurn,
      tokens: service,
      holders: service,
      orders: service,
    };
    return createGateway({
      ...platform,
      projects: customers.lookup,
      bus,
      usage: deps.store.usage,
      dataDir,
      upstreams,
      secret: 'a secret of the simulation',
    });
  });
}

export function openBalance(name: string, deps: Deps): Place {
  return new Place(name, deps, async (platform) => {
    const nodes = deps.nodes.map((one) => one.connect());
    const node = await joinNodes(nodes, { timeoutMs: NODE_TIMEOUT_MS }, ETH_MAINNET, platform);
    return createBalance({ ...platform, networks: [{ network: ETH_MAINNET, node }] });
  });
}

export function openMetering(name: string, deps: Deps): Place {
  return new Place(name, deps, async (platform, bus) => {
    const { usage, progress, alerts } = deps.store;
    createMetering({
      ...platform,
      usage,
      progress,
      progressEveryMs: PROGRESS_EVERY_MS[deps.pace.kind],
      bus,
      alerting: { alerts, projects: deps.customers },
    });
    return undefined;
  });
}

/** All instances of orders share the embedded store of one machine. */
export function openOrders(name: string, deps: Deps): Place {
  const lookEveryMs = deps.machine.random.pick(LOOKS_MS[deps.pace.kind]);
  const chains = new Map([['eth-mainnet', { name: 'eth-mainnet', chainId: 1 }]]);
  const start: Start = async (platform, bus, dataDir) => {
    const { app } = await createOrders({
      ...platform,
      bus,
      busCheck: { name: 'bus', check: async () => 'answers' },
      networks: [],
      chains,
      store: { dataDir },
      lookEveryMs,
    });
    return app;
  };
  return new Place(name, deps, start, 'orders');
}
