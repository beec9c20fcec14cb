/** Proofs of amounts: the client's verifier, which shares no code with the service, checks each against the node's own block. */
import { verify } from '@hindsight/client/verify';
import { verifySnapshot } from '@hindsight/client/verify-snapshot';
import type { Network } from '@hindsight/chain/networks.ts';
import { HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import type { Chain } from './inquiries.ts';
import type { SeededNode } from './nodes.ts';
import { id } from 'ethers';
import { ETHER, numberIn, pinnedAt, type Fields, type View } from './views.ts';

type Call = View['calls'][number];

/** The index of each token's mapping of balances, by its source (devchain/contracts). */
const BALANCES = { uni: 0, usdt: 1, usdc: 0, mkr: 1 } as const;
/** The same for the shares of staked ether. */
const SHARES = { index: 2, layout: 'solidity' } as const;
const BLOCKS = [LANDMARKS.traffic, LANDMARKS.usdcUpgrade, LANDMARKS.treasuryMoves, LANDMARKS.late];

/** More than a window; most of them have nothing. */
const MANY: readonly string[] = [
  ...Object.values(HOLDERS),
  ...Array.from({ length: 130 }, (_, i) => id(`holder ${i}`).slice(0, 42)),
];

/** Amounts with proofs, at blocks over the whole plan. */
export function proofsOf(node: SeededNode, chain: Chain, { heightFrom }: Network): View[] {
  // The Nitro stand-in changes the heights of an anvil's headers but not their hashes, so no header matches its hash.
  if (heightFrom === 'arbsys') return [];
  const { alice, treasury } = HOLDERS;
  return BLOCKS.flatMap((block) => {
    const height = node.heightOf(block);
    const pinned = pinnedAt(chain, height);
    const wei = (holder: string): Call => [holder, ETHER, [holder], height];
    return [
      ...[alice, treasury].map((holder) =>
        proven(`balance/native?holder=${holder}`, wei(holder), { pinned }),
      ),
      provenRows('native', wei, { pinned }),
      ...[alice, treasury].map((holder) => provenShares(holder, height, pinned)),
      ...Object.entries(BALANCES).flatMap(([name, index]) => {
        const { address } = TOKENS[name as keyof typeof BALANCES];
        const call = (holder: string): Call => [address, 'balanceOf', [holder], height];
        const path = `balance/single?token_address=${address}`;
        return [
          ...[alice, treasury].map((holder) =>
            proven(`${path}&holder=${holder}`, call(holder), { pinned, index }),
          ),
          provenRows(address, call, { pinned, index }),
        ];
      }),
    ];
  });
}

/** The balances of many holders in a snapshot, whose proofs must show the amounts of plain calls. */
function provenRows(
  token: string,
  call: (holder: string) => Call,
  { pinned, index }: { readonly pinned: Fields; readonly index?: number },
): View {
  const calls = MANY.map(call);
  return {
    path: `balance/snapshot?token_address=${token}&block_height=${calls[0]![3]}&proof=storage`,
    body: MANY.join('\n'),
    calls,
    expected: (raws) => ({ amounts: raws.map(numberIn), refusal: null }),
    async read({ records }) {
      const amounts: string[] = [];
      const { refusal } = await verifySnapshot(records as readonly unknown[], {
        blockHash: String(pinned.block_hash),
        index,
        layout: 'solidity',
        onRow: ({ result }) => amounts.push(result.verified ? String(result.amount) : result.message),
      });
      return { amounts, refusal };
    },
  };
}

/** The shares of a token that rebases, whose proof must show those that a plain call states, beside the balance. */
function provenShares(holder: string, height: number, pinned: Fields): View {
  const { address } = TOKENS.steth;
  return {
    path: `balance/single?token_address=${address}&holder=${holder}&block_height=${height}&proof=shares`,
    calls: [
      [address, 'balanceOf', [holder], height],
      [address, 'sharesOf', [holder], height],
    ],
    expected: ([raw, shares]) => ({ ...pinned, balance: numberIn(raw), shares: numberIn(shares) }),
    read(body) {
      const found = verify(body, { blockHash: String(pinned.block_hash), ...SHARES, shares: true });
      return { ...body, shares: found.verified ? String(found.shares) : found.message };
    },
  };
}

/** A balance whose proof must show the amount of a plain call, at the block hash that the node itself gives. */
function proven(
  path: string,
  call: Call,
  { pinned, index }: { readonly pinned: Fields; readonly index?: number },
): View {
  const blockHash = String(pinned.block_hash);
  return {
    path: `${path}&block_height=${call[3]}&proof=storage`,
    calls: [call],
    expected: ([raw]) => ({ ...pinned, balance: numberIn(raw), verified: numberIn(raw) }),
    read(body) {
      const found = verify(body, { blockHash, index, layout: 'solidity' });
      return { ...body, verified: found.verified ? String(found.amount) : found.message };
    },
  };
}
