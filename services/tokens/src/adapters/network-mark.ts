import type { Network } from '@hindsight/chain/networks.ts';

/** The network that a stored list says it is of. */
export type NetworkMark = Pick<Network, 'name' | 'chainId'>;

/**
 * Compares a stored list with the network that it is opened for, so that no network is ever served from another's list.
 * @throws {Error} where they differ
 */
export function refuseAnother(store: string, stored: NetworkMark, { name, chainId }: NetworkMark): void {
  if (stored.name === name && stored.chainId === chainId) return;
  throw new Error(
    `the token index in ${store} is of ${stored.name} (chain ${stored.chainId}), not of ${name} (chain ${chainId}): ` +
      'give this network a store of its own, or remove the index',
  );
}
