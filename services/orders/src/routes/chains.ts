import { NETWORKS, type Network } from '@hindsight/chain/networks.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { RefusedOrder } from '../domain/refusal.ts';

export type OrderChain = Pick<Network, 'name' | 'chainId'>;

/**
 * The chain of a path.
 * @throws {RefusedOrder} when the path names a known network and the order is for another
 * @throws {ApiError} 404 for a network that is not served
 */
export function chainOf(served: ReadonlyMap<string, OrderChain>, name: string, chainId: number): OrderChain {
  const chain = served.get(name);
  if (chain !== undefined) return chain;
  const other = NETWORKS.get(name);
  if (other !== undefined && other.chainId !== chainId) {
    throw new RefusedOrder(
      'chain',
      `chainId: ${chainId} is not the chain of ${name}, which is ${other.chainId} and is not served`,
    );
  }
  throw notFound(
    'unknown_network',
    `Unknown network ${name.slice(0, 60)}; supported: ${[...served.keys()].join(', ')}`,
  );
}
