/** The store of units: the embedded adapter, on a server of its own behind the network. */
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { Process, type Machine } from './machine/machine.ts';
import { overNetwork, type Network, type Server } from './machine/network.ts';
import type { Plant } from './plants.ts';

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Opens it in a folder. It survives every fault, like writes that a majority has acknowledged. */
export async function openStore(machine: Machine, network: Network, dataDir: string, plant?: Plant) {
  const server: Server = {
    process: new Process('store'),
    unavailable: (why) => new StoreUnavailable('the store', new Error(why)),
  };
  const lifecycle = { onStop: () => undefined } as unknown as Lifecycle;
  const opened = await machine.as(server.process, () => openUsage({ dataDir }, lifecycle));
  const usage = plant?.usage?.(opened.usage, machine.random) ?? opened.usage;
  return {
    server,
    /** For the checker: past the network and planted faults. */
    ledger: opened.usage,
    usage: overNetwork(network, server, usage),
    alerts: overNetwork(network, server, opened.alerts),
    progress: overNetwork(network, server, opened.progress),
  };
}
