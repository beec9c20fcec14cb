import { OPERATIONS } from '@hindsight/api/operations.ts';
import type { HttpServer } from './types.ts';

/** A network that a service serves, and what it has of it. */
export interface ServedNetwork {
  readonly name: string;
  readonly chainId: number;
  readonly available: Readonly<Record<string, boolean>>;
}

/** Adds the route by which a service says to the gateway what it has of each network: for its list of networks. */
export function addServedNetworks(app: HttpServer, served: () => readonly ServedNetwork[]): void {
  app.get(OPERATIONS.listNetworks.path, () => ({
    networks: served().map(({ name, chainId, available }) => ({
      network_name: name,
      chain_id: chainId,
      available,
    })),
  }));
}
