/** Plays a plan on a development node. */
import type { Genesis, Plan, PlannedBlock } from './plan-format.ts';
import type { OrderedRpc } from './rpc.ts';

/** The last block of a chain. */
export interface Head {
  number: number;
  hash: string;
  /** Unix seconds. */
  timestamp: number;
}

export interface DevNode {
  /** Puts the state before the first block in place. */
  begin(genesis: Genesis): Promise<void>;
  /** Makes blocks in this order, each of its transactions, in their order, with its timestamp. */
  make(blocks: readonly PlannedBlock[]): Promise<void>;
  head(): Promise<Head>;
}

/** Resolves with the new head once every block is made. */
export async function seed(node: DevNode, plan: Plan): Promise<Head> {
  await node.begin(plan.genesis);
  await node.make(plan.blocks);
  return node.head();
}

/** Reads a node's last block. */
export async function readHead(rpc: OrderedRpc): Promise<Head> {
  const { number, hash, timestamp } = (await rpc.call('eth_getBlockByNumber', 'latest', false)) as Record<
    keyof Head,
    string
  >;
  return { number: Number(number), hash, timestamp: Number(timestamp) };
}
