/** Plays the plan on an anvil, and checks what came out. */
import { anvilNode } from './anvil-node.ts';
import { buildPlan } from './plan.ts';
import { OrderedRpc } from './rpc.ts';
import { type Head, seed } from './seed.ts';
import { CHAIN } from './world.ts';

/**
 * Resolves with the head once the chain stands, hash for hash as world.ts says; rejects if it came out differently. The
 * plan is made in the time that anvil takes to start.
 */
export async function seedAnvil(starting: Promise<string>): Promise<Head> {
  const plan = buildPlan();
  const rpc = new OrderedRpc(await starting);
  try {
    const head = await seed(anvilNode(rpc), plan);
    if (head.hash !== CHAIN.headHash)
      throw new Error(
        `the dev chain came out as ${head.hash} at block ${head.number}, not as ${CHAIN.headHash}`,
      );
    return head;
  } finally {
    await rpc.close();
  }
}
