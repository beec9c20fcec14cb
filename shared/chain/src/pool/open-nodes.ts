import type { NetworkNodes } from '../networks-file.ts';
import type { Network } from '../networks.ts';
import type { Failover } from './failover.ts';
import { openNode } from './open-node.ts';

/** A network and its nodes as one. */
export interface OpenedNetwork {
  readonly network: Network;
  readonly node: Failover;
}

type Limits = Omit<Parameters<typeof openNode>[0], 'urls'>;

/**
 * Opens the nodes of each network, with limits of their own: one whose nodes are away takes nothing from another.
 * @throws {Error} as openNode
 */
export function openNodes(
  networks: readonly NetworkNodes[],
  limits: Limits,
  deps: Parameters<typeof openNode>[2],
): Promise<readonly OpenedNetwork[]> {
  return Promise.all(
    networks.map(async ({ network, urls }) => ({
      network,
      node: await openNode({ ...limits, urls }, network, deps),
    })),
  );
}
