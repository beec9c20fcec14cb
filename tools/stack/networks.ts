/** Further networks of a stack: a node of one's own, or an empty chain with the network's id. */
import { startFundedChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { NodeAccess, Progress } from './parts.ts';

/** In the order in which `--networks` adds them; each answers from its chain's first block on. */
const FURTHER = [
  { name: 'base-mainnet', setting: 'BASE_RPC_URL' },
  { name: 'unichain-mainnet', setting: 'UNICHAIN_RPC_URL' },
  { name: 'polygon-mainnet', setting: 'POLYGON_RPC_URL' },
  { name: 'gnosis-mainnet', setting: 'GNOSIS_RPC_URL' },
] as const;

/** The most that `--networks` takes: these and mainnet. */
export const MAX_NETWORKS = FURTHER.length + 1;

/** Enough for some to be final. */
const BLOCKS = 200;
const RICH = '0x00000000000000000000000000000000000000aa';

/** Nodes of further networks, and the settings of services for them. */
export interface FurtherNetworks {
  /** By the network's name. */
  readonly nodes: Readonly<Record<string, NodeAccess>>;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts those that are not given. @param networks how many the stack has in all @param given settings of nodes */
export async function startNetworks(
  networks: number,
  given: Readonly<Record<string, string>>,
  lifecycle: Lifecycle,
  say: Progress,
): Promise<FurtherNetworks> {
  const wanted = FURTHER.slice(0, networks - 1);
  if (wanted.length === 0) return { nodes: {}, env: {} };
  const started = await Promise.all(
    wanted.map(async ({ name, setting }) => {
      const url = given[setting];
      if (url !== undefined) return { name, setting, node: { pid: null, url } };
      const { stop, ...node } = await startChain(name);
      lifecycle.onStop(`the chain of ${name}`, stop);
      say(`an empty chain is ready as ${name}`);
      return { name, setting, node };
    }),
  );
  const urls = started.map(({ setting, node }): [string, string] => [setting, node.url]);
  const names = ['eth-mainnet', ...wanted.map(({ name }) => name)];
  return {
    nodes: Object.fromEntries(started.map(({ name, node }) => [name, node])),
    env: { ...Object.fromEntries(urls), NETWORKS: names.join(',') },
  };
}

/** An empty chain with the id of a known network, ending with this process. */
export function startChain(name: string): Promise<Anvil> {
  const { chainId } = NETWORKS.get(name)!;
  return startFundedChain({ chainId, account: RICH, wei: 10n ** 18n, blocks: BLOCKS });
}
