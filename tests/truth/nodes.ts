/** The nodes under test, each with the plan played on it. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { gethAlloc, gethNode } from '@hindsight/devchain/geth-node.ts';
import type { Plan } from '@hindsight/devchain/plan-format.ts';
import { OrderedRpc } from '@hindsight/devchain/rpc.ts';
import { seed, type DevNode } from '@hindsight/devchain/seed.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { GETH, startGeth, type GethOptions } from '@hindsight/tools/servers/geth.ts';

const SETTLED_WITHIN_MS = 600_000;
const ANYONE = `0x${'00'.repeat(20)}`;
/** Without a new block. */
const QUIET_MS = 3_000;
const LOOK_EVERY_MS = 100;

/** A running node with the plan's past. */
export interface SeededNode {
  readonly name: string;
  readonly url: string;
  /** The height at which its state is that after a block of the plan. */
  heightOf: (block: number) => number;
  /** An account's wei in addition to the ledger's after a block of the plan. */
  extraWei: (address: string, block: number) => bigint;
  stop: () => Promise<void>;
}

/** An anvil of its own. */
export async function seedAnvil(): Promise<SeededNode> {
  return seededAnvil(await startDevchain());
}

/** anvil has the plan's own heights, and gas is free there. */
export function seededAnvil({ url, stop }: Pick<SeededNode, 'url' | 'stop'>): SeededNode {
  return { name: 'anvil', url, stop, heightOf: (block) => block, extraWei: () => 0n };
}

/** A geth to seed: its history and, for release 1.17, the height of its fork. */
export type SeededGeth = Required<Pick<GethOptions, 'history' | 'stateScheme'>> &
  Pick<GethOptions, 'release' | 'amsterdamAt' | 'gasCap' | 'dataDir' | 'logIndex'>;

/** geth in development mode; a full one has forgotten the state of all but the latest blocks. */
export async function seedGeth(plan: Plan, options: SeededGeth): Promise<SeededNode> {
  const geth = await startGeth({ ...options, alloc: gethAlloc(plan.genesis) });
  const rpc = new OrderedRpc(geth.url);
  try {
    const { heightOf, extraWei, ...node } = gethNode(rpc);
    await seed(node, plan);
    await settled(node);
    if (options.history === 'archive') await indexed(rpc, heightOf(plan.genesis.number), options);
    return { name: nameOf(options), url: geth.url, heightOf, extraWei, stop: () => geth.stop() };
  } catch (error) {
    await geth.stop();
    throw error;
  } finally {
    await rpc.close();
  }
}

/** A geth's name in reports. */
export function nameOf({ release = GETH, history, stateScheme, amsterdamAt, gasCap }: SeededGeth): string {
  const kept = history === 'full' ? 'pruned' : 'archive';
  const rules = amsterdamAt === undefined ? '' : `, Amsterdam from ${amsterdamAt}`;
  const cap = gasCap === undefined ? '' : `, ${gasCap / 1_000_000}M gas`;
  return `${release}, ${kept}, ${stateScheme} scheme${rules}${cap}`;
}

/**
 * Resolves when an archive by path has its past at hand: it indexes states in the background, and refuses them meanwhile.
 * Release 1.17 indexes the nodes of tries, which proofs need, by themselves.
 */
async function indexed(
  rpc: OrderedRpc,
  first: number,
  { release = GETH }: Pick<SeededGeth, 'release'>,
): Promise<void> {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  const block = `0x${first.toString(16)}`;
  for (;;) {
    try {
      await rpc.call('eth_getBalance', ANYONE, block);
      if (release === 'geth-1.17') await rpc.call('eth_getProof', ANYONE, [], block);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

/** Resolves when no block comes any more: geth makes an empty one now and then after the last transaction. */
async function settled(node: Pick<DevNode, 'head'>): Promise<void> {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (let before = -1; ; await sleep(QUIET_MS)) {
    const { number } = await node.head();
    if (number === before) return;
    if (Date.now() > deadline) throw new Error('geth goes on making blocks');
    before = number;
  }
}
