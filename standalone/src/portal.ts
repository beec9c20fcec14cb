import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { listen } from '@hindsight/http/server.ts';
import { MAINNET_PAST_EXAMPLE } from '@hindsight/chain/mainnet-examples.ts';
import { PAST_EXAMPLE } from '@hindsight/devchain/examples.ts';
import { createPortal } from '@hindsight/portal/service.ts';
import type { StandaloneConfig } from './config.ts';
import { listenAt } from '@hindsight/http/listen-at.ts';

type Deps = Omit<
  Parameters<typeof createPortal>[0],
  'settings' | 'host' | 'showcase' | 'status' | 'store' | 'network' | 'networks' | 'node' | 'trustProxy'
>;

interface Surroundings {
  readonly gatewayUrl: string;
  readonly demoKey: string;
  readonly network: Network;
  /** All networks that are served, this one first. */
  readonly networks: readonly Network[];
  readonly node: EthereumNode;
  readonly embedded: boolean;
}

/** Starts the portal at a separate port. Resolves to its public URL. */
export async function startPortal(
  config: StandaloneConfig,
  { gatewayUrl, demoKey, network, networks, node, embedded }: Surroundings,
  deps: Deps,
): Promise<string> {
  const { HOST: host, PORTAL_PORT: port, DATA_DIR: dataDir, TRUST_PROXY: trustProxy = [] } = config;
  const apiUrl = config.API_URL ?? config.PUBLIC_URL ?? gatewayUrl;
  const example = embedded ? PAST_EXAMPLE : MAINNET_PAST_EXAMPLE;
  const app = await createPortal({
    ...deps,
    settings: config,
    host,
    store: { dataDir },
    network,
    networks: [network, ...networks.slice(1)],
    node,
    trustProxy,
    showcase: { apiUrl, demoKey, example, devChain: embedded },
    status: [{ name: 'Gateway', url: gatewayUrl }],
  });
  const url = await listenAt('PORTAL_PORT', { host, port }, (address) =>
    listen(app, deps.lifecycle, 'portal', address),
  );
  return config.PORTAL_URL ?? url;
}
