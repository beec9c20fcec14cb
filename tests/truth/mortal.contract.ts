/** What every node must show of tokens that take fees, rebase and destroy themselves. */
import type { Network } from '@hindsight/chain/networks.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { expect } from '@jest/globals';
import { readChain } from './inquiries.ts';
import { mortalViews } from './mortal.ts';
import type { SeededNode } from './nodes.ts';
import { startService } from './service.ts';
import { tryViews } from './views.ts';

/** Asks everything at every block. */
export async function expectTrueMortals(node: SeededNode, network: Network): Promise<void> {
  const chain = await readChain(node.url, node.heightOf(CHAIN.genesis));
  const views = mortalViews(chain);
  const service = await startService(node.url, network);
  try {
    const trial = await tryViews(node, network, service.url, views);
    expect(trial).toEqual({ right: views.length, refused: 0, faults: [] });
    expect(views.length).toBeGreaterThan(60);
  } finally {
    await service.stop();
  }
}
