import { registryNodes, servedNetworks } from '@hindsight/chain/network-settings.ts';
import type { NetworkNodes } from '@hindsight/chain/networks-file.ts';
import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import type { Failover } from '@hindsight/chain/pool/failover.ts';
import { openNode, openNodes, type OpenedNetwork } from '@hindsight/chain/pool/open-node.ts';
import type { ProcessDeps } from '@hindsight/http/start-service.ts';
import type { BegunChain } from './begin-chain.ts';
import type { StandaloneConfig } from './config.ts';

/** A chain that is read, and whether it is the embedded one. */
export interface ChainAccess {
  readonly network: Network;
  readonly node: Failover;
  /** Further connections to the same nodes for the token index, so that its large queries delay no others. */
  readonly indexNode: Failover;
  readonly embedded: boolean;
}

/** Events that an index reads at a time: balances are answered in the same process, and must not wait for them. */
export const EVENTS_BESIDE_OTHERS = 300;

type Deps = Pick<ProcessDeps, 'lifecycle' | 'logger' | 'telemetry'>;

/** The networks that have nodes; the dev chain in place of mainnet, ending with this process, where none has. */
export async function openChains(
  config: StandaloneConfig,
  deps: Deps,
  begin: () => BegunChain,
): Promise<readonly [ChainAccess, ...ChainAccess[]]> {
  const [first, ...others] = servedNetworks(config);
  const timeoutMs = config.ETH_RPC_TIMEOUT_MS;
  if (first === undefined) {
    const urls = [await openEmbedded(begin(), deps)];
    return [await openChain({ network: ETH_MAINNET, urls }, timeoutMs, true, deps)];
  }
  const open = (one: NetworkNodes): Promise<ChainAccess> => openChain(one, timeoutMs, false, deps);
  return Promise.all([open(first), ...others.map(open)]);
}

/** The node of the network with the names, where that network is not served. */
export async function openRegistry(config: StandaloneConfig, deps: Deps): Promise<OpenedNetwork | undefined> {
  const [registry] = await openNodes(registryNodes(config), { timeoutMs: config.ETH_RPC_TIMEOUT_MS }, deps);
  return registry;
}

async function openChain(
  { network, urls }: NetworkNodes,
  timeoutMs: number,
  embedded: boolean,
  { lifecycle, logger, telemetry }: Deps,
): Promise<ChainAccess> {
  const limits = { urls, timeoutMs };
  const [node, indexNode] = await Promise.all([
    openNode(limits, network, { logger, lifecycle, telemetry }),
    openNode({ ...limits, verified: true }, network, { logger, lifecycle }),
  ]);
  return { network, node, indexNode, embedded };
}

async function openEmbedded(begun: BegunChain, { lifecycle, logger }: Deps): Promise<string> {
  lifecycle.onStop('dev chain', () => begun.stop());
  begun.logTo((line) => logger.debug({ part: 'devchain' }, line));
  return (await begun.chain).url;
}
