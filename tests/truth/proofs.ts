/** Proofs of amounts: the client's verifier, which shares no code with the service, checks each against the node's own block. */
import { verify } from '@hindsight/client/verify';
import type { Network } from '@hindsight/chain/networks.ts';
import { HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import type { Chain } from './inquiries.ts';
import type { SeededNode } from './nodes.ts';
import { ETHER, numberIn, pinnedAt, type Fields, type View } from './views.ts';

/** The index of each token's mapping of balances, by its source (devchain/contracts). */
const BALANCES = { uni: 0, usdt: 1, usdc: 0, mkr: 1 } as const;
const BLOCKS = [LANDMARKS.traffic, LANDMARKS.usdcUpgrade, LANDMARKS.treasuryMoves, LANDMARKS.late];

/** Amounts with proofs, at blocks over the whole plan. */
export function proofsOf(node: SeededNode, chain: Chain, { heightFrom }: Network): View[] {
  // The Nitro stand-in changes the heights of an anvil's headers but not their hashes, so no header matches its hash.
  if (heightFrom === 'arbsys') return [];
  const { alice, treasury } = HOLDERS;
  return BLOCKS.flatMap((block) => {
    const height = node.heightOf(block);
    const pinned = pinnedAt(chain, height);
    return [alice, treasury].flatMap((holder) => [
      proven(`balance/native?holder=${holder}`, [holder, ETHER, [holder], height], { pinned }),
      ...Object.entries(BALANCES).map(([name, index]) => {
        const { address } = TOKENS[name as keyof typeof BALANCES];
        const path = `balance/single?token_address=${address}&holder=${holder}`;
        return proven(path, [address, 'balanceOf', [holder], height], { pinned, index });
      }),
    ]);
  });
}

/** A balance whose proof must show the amount of a plain call, at the block hash that the node itself gives. */
function proven(
  path: string,
  call: View['calls'][number],
  { pinned, index }: { readonly pinned: Fields; readonly index?: number },
): View {
  const blockHash = String(pinned.block_hash);
  return {
    path: `${path}&block_height=${call[3]}&proof=storage`,
    calls: [call],
    expected: ([raw]) => ({ ...pinned, balance: numberIn(raw), verified: numberIn(raw) }),
    read(body) {
      const found = verify(body, { blockHash, index });
      return { ...body, verified: found.verified ? String(found.amount) : found.message };
    },
  };
}
