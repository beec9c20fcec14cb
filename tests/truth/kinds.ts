/** Kinds of chain besides mainnet's: other chain ids, several blocks in one second, heights above 500 million, Nitro's EVM. */
import { anvilNode } from '@hindsight/devchain/anvil-node.ts';
import { startAnvil } from '@hindsight/devchain/anvil.ts';
import type { Plan } from '@hindsight/devchain/plan-format.ts';
import { OrderedRpc } from '@hindsight/devchain/rpc.ts';
import { seed } from '@hindsight/devchain/seed.ts';
import { ETH_MAINNET, NETWORKS, type Network } from '@hindsight/chain/networks.ts';
import { startNitroNode } from '@hindsight/chain/test/support/nitro-node.ts';
import type { SeededNode } from './nodes.ts';

/** A kind of chain, with the plan played on it. */
export interface Kind {
  readonly name: string;
  readonly network: Network;
  readonly start: (plan: Plan) => Promise<SeededNode>;
}

interface Shape {
  /** Height of the first block. */
  readonly first: number;
  readonly blocksPerSecond: number;
  /** In front of the anvil. */
  readonly nitro?: true;
}

/** A network as shipped, but for the plan's names and oldest tokens, which are mainnet's. */
function shipped(name: string): Network {
  const network = NETWORKS.get(name);
  if (network === undefined) throw new RangeError(`there is no network ${name}`);
  const { firstBlock: _, ...rest } = network;
  const [{ address }] = ETH_MAINNET.ensRegistries!;
  return { ...rest, ensRegistries: [{ since: 0, address }], tokenTypes: ETH_MAINNET.tokenTypes };
}

function kind(name: string, network: Network, shape: Shape): Kind {
  return { name, network, start: (plan) => play(name, plan, network.chainId, shape) };
}

/** Two seconds a block, one, several a second, far up, and the two layers of Arbitrum. */
export const KINDS: readonly Kind[] = [
  kind('OP stack, heights above 100M', shipped('op-mainnet'), { first: 105_235_063, blocksPerSecond: 0.5 }),
  kind('two blocks a second, heights above 500M', shipped('bnb-mainnet'), {
    first: 506_000_000,
    blocksPerSecond: 2,
  }),
  kind('Nitro, four blocks a second, heights above 500M', shipped('arb-mainnet'), {
    first: 22_000_000,
    blocksPerSecond: 4,
    nitro: true,
  }),
];

/** The plan on an anvil of its own, with that many blocks in a second and from that height on. */
async function play(name: string, plan: Plan, chainId: number, shape: Shape): Promise<SeededNode> {
  const { first, blocksPerSecond, nitro } = shape;
  const { number, timestamp } = plan.genesis;
  const anvil = await startAnvil({
    host: '127.0.0.1',
    port: 0,
    log: () => undefined,
    chainId,
    first,
    time: timestamp,
  });
  const blocks = plan.blocks.map((block, i) => ({
    ...block,
    timestamp: timestamp + Math.floor((i + 1) / blocksPerSecond),
  }));
  const rpc = new OrderedRpc(anvil.url);
  try {
    await seed(anvilNode(rpc), { ...plan, blocks });
  } catch (error) {
    await anvil.stop();
    throw error;
  } finally {
    await rpc.close();
  }
  const front = nitro && (await startNitroNode(anvil.url));
  const above = first - number;
  return {
    name,
    url: front?.url ?? anvil.url,
    heightOf: (block) => (front?.heightOf ?? Number)(block + above),
    extraWei: () => 0n,
    async stop() {
      await front?.close();
      await anvil.stop();
    },
  };
}
