/** Short stories on chains of their own: blocks of transactions that one account sends, the same ones on each node. */
import { anvilNode } from '@hindsight/devchain/anvil-node.ts';
import { startAnvil } from '@hindsight/devchain/anvil.ts';
import { gethAlloc, gethNode } from '@hindsight/devchain/geth-node.ts';
import { LedgerBook } from '@hindsight/devchain/ledger.ts';
import type { Plan, PlannedTransaction } from '@hindsight/devchain/plan-format.ts';
import { OrderedRpc } from '@hindsight/devchain/rpc.ts';
import { seed } from '@hindsight/devchain/seed.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { startGeth } from '@hindsight/tools/servers/geth.ts';
import { getCreateAddress } from 'ethers';
import { seededAnvil, type SeededNode } from './nodes.ts';

/** A transaction: its receiver, or null to create a contract, and its data. */
export type Step = readonly [to: string | null, data: string];

/** Address of the contract that the n-th transaction of a story creates, from 0. */
export function createdBy(nonce: number): string {
  return getCreateAddress({ from: HOLDERS.builder, nonce });
}

/** Plans a story of a block each. */
export function planOf(story: readonly (readonly Step[])[]): Plan {
  const { story: number, storyTime: timestamp } = CHAIN;
  const { builder } = HOLDERS;
  return {
    genesis: { number, timestamp, balances: new Map(), nonces: new Map(), code: new Map() },
    blocks: story.map((steps, i) => {
      const before = story.slice(0, i).flat().length;
      const transactions = steps.map(([to, data], at): PlannedTransaction => ({
        from: builder,
        nonce: before + at,
        to,
        data,
        value: 0n,
        gas: 1_000_000,
        fails: false,
      }));
      return { number: number + i + 1, timestamp: timestamp + 12 * (i + 1), transactions };
    }),
    ledger: new LedgerBook(),
  };
}

/** anvil with a story on it. */
export async function anvilWith(plan: Plan): Promise<SeededNode> {
  const { url, stop } = await startAnvil({
    host: '127.0.0.1',
    port: 0,
    log: () => undefined,
    hardfork: 'shanghai',
  });
  const rpc = new OrderedRpc(url);
  try {
    await seed(anvilNode(rpc), plan);
  } finally {
    await rpc.close();
  }
  return seededAnvil({ url, stop });
}

/** geth with a story on it. */
export async function gethWith(plan: Plan): Promise<SeededNode> {
  const geth = await startGeth({ beforeCancun: true, alloc: gethAlloc(plan.genesis) });
  const rpc = new OrderedRpc(geth.url);
  const node = gethNode(rpc);
  try {
    await seed(node, plan);
  } finally {
    await rpc.close();
  }
  const { heightOf, extraWei } = node;
  return { name: 'geth', url: geth.url, stop: () => geth.stop(), heightOf, extraWei };
}
