import { notFound } from '@hindsight/kernel/errors.ts';

export interface ShownNetwork {
  /** As in paths. */
  readonly name: string;
  readonly native: { readonly symbol: string; readonly decimals: number };
}

/** The first is shown where none is asked for. */
export type ShownNetworks = readonly [ShownNetwork, ...ShownNetwork[]];

const MOST_SHOWN = 60;

/** The network of `?network=`. @throws {ApiError} 404, with those that are served */
export function chosenNetwork(networks: ShownNetworks, asked: unknown): ShownNetwork {
  if (asked === undefined) return networks[0];
  const found = networks.find(({ name }) => name === asked);
  if (found !== undefined) return found;
  const served = networks.map(({ name }) => name).join(', ');
  const shown = typeof asked === 'string' ? asked.slice(0, MOST_SHOWN) : '(more than one)';
  throw notFound('unknown_network', `Unknown network ${shown}; served: ${served}`);
}
