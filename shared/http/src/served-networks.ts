import { OPERATIONS } from '@hindsight/api/operations.ts';
import type { HttpServer } from './types.ts';

/** A network that a service serves, and what it offers on it. */
export interface ServedNetwork {
  readonly name: string;
  readonly chainId: number;
  readonly available: Readonly<Record<string, boolean>>;
}

/** Adds the route that tells the gateway what the service offers on each network, for the list of networks. */
export function addServedNetworks(app: HttpServer, served: () => readonly ServedNetwork[]): void {
  app.get(OPERATIONS.listNetworks.path, () => ({
    networks: served().map(({ name, chainId, available }) => ({
      network_name: name,
      chain_id: chainId,
      available,
    })),
  }));
}
