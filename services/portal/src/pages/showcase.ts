import type { ShownNetwork, ShownNetworks } from '../domain/shown-networks.ts';

/** Shared data of the landing page, the demo and a wallet's page. */
export interface Showcase {
  /** The gateway's public base URL, without a slash at its end. */
  readonly apiUrl: string;
  readonly demoKey: string;
  /**
   * A question about the past in words, and a path that the connected chain answers, such as
   * /v1/eth-mainnet/…?…
   */
  readonly example: { readonly says: string; readonly path: string };
  /** The chain is the development chain. */
  readonly devChain?: boolean;
}

/** The same with its network, one of those that are served. */
export interface Demonstration extends Showcase {
  readonly network: ShownNetwork;
  readonly networks: ShownNetworks;
}

/** Values for the scripts that call the gateway. */
export function scriptSettings({ apiUrl, demoKey, network, networks }: Demonstration) {
  const { name, native } = network;
  return { apiUrl, demoKey, network: name, coin: native, several: networks.length > 1 };
}
