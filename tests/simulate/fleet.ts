/** The processes of an installation: gateways with a disk each, metering, balance, tokens, and orders on one store. */
import { createBalance } from '@hindsight/balance/service.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { joinNodes } from '@hindsight/chain/pool/open-node.ts';
import { createGateway, createUpstreamsInTurn, type GatewayDeps } from '@hindsight/gateway/service.ts';
import { createOrders, loadRecovery } from '@hindsight/orders/service.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { createMetering } from '@hindsight/metering/service.ts';
import { createTokens, openTokenIndex, startIndexing } from '@hindsight/tokens/service.ts';
import { FIRST } from './chain/blocks.ts';
import { upstreamTo } from './place-behind.ts';
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

// A module that a run loaded would come in real time, hours later in simulated time.
await loadRecovery();

/** Milliseconds for one question, over all nodes. */
const NODE_TIMEOUT_MS = 5_000;

/**
 * Pauses between looks of orders at their store, the usual ones or longer, and those between notes of how far counting has come:
 * most of a run's events would be looks that find nothing.
 */
const LOOKS_MS = { busy: [250, 2_000, 2_000, 2_000], withQuietHours: [10_000, 30_000, 60_000] };
const PROGRESS_EVERY_MS = { busy: 10_000, withQuietHours: 60_000 };

/** Pauses between looks of the index of tokens for new final blocks. */
const WALK_EVERY_MS = { busy: 6_000, withQuietHours: 60_000 };

/** Instances of the services behind the gateways. */
interface Behind {
  readonly balance: readonly Place[];
  readonly tokens: readonly Place[];
}

export function openGateway(name: string, { balance, tokens }: Behind, deps: Deps): Place {
  const { customers, machine, network, plant } = deps;
  return new Place(name, deps, async (platform, bus, dataDir) => {
    const service = createService(machine);
    const inTurn = (places: readonly Place[]) =>
      createUpstreamsInTurn(
        places.map((place) => upstreamTo(place, machine, network)),
        platform.clock,
      );
    const upstreams: GatewayDeps['upstreams'] = {
      balance: plant?.balance?.(inTurn(balance)) ?? inTurn(balance),
      tokens: inTurn(tokens),
      holders: service,
      orders: service,
    };
    return createGateway({
      ...platform,
      projects: plant?.projects?.(customers.projects, machine.random) ?? customers.projects,
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
    const node = await openNode(deps, platform);
    return createBalance({ ...platform, networks: [{ network: ETH_MAINNET, node }] });
  });
}

/** All instances share the embedded index, which one of them at a time feeds. */
export function openTokens(name: string, deps: Deps): Place {
  const everyMs = WALK_EVERY_MS[deps.pace.kind];
  const start: Start = async (platform, _bus, dataDir) => {
    const opened = await openTokenIndex(ETH_MAINNET, { dataDir }, platform.lifecycle);
    const list = deps.plant?.tokens?.(opened, deps.machine.random) ?? opened;
    const given = { ...platform, telemetry: createTelemetry() };
    const node = await openNode(deps, platform);
    const settings = { fromBlock: FIRST, pollMs: everyMs, maxPauseMs: everyMs };
    startIndexing({ ...given, index: list, network: ETH_MAINNET, node, settings });
    return createTokens({ ...given, lists: [{ network: ETH_MAINNET, list }] });
  };
  return new Place(name, deps, start, 'tokens');
}

function openNode({ nodes }: Deps, platform: Platform): Promise<EthereumNode> {
  const connected = nodes.map((one) => one.connect());
  return joinNodes(connected, { timeoutMs: NODE_TIMEOUT_MS }, ETH_MAINNET, platform);
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
      alerting: { alerts, projects: deps.customers.projects },
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
