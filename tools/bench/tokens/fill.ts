/** A token list of any size, with realistic names: few words, long tails, many duplicates. */
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openTokenIndex } from '@hindsight/tokens/service.ts';
import { createHash } from 'node:crypto';
import { getAddress } from 'ethers';

const WORDS =
  'Uni Moon Doge Pepe Shiba Dragon Gold Silver Meta Chain Swap Yield Farm Star Ape Punk Cat Frog Elon Inu Finance Protocol Network Labs DAO Vault Coin Cash Dollar Euro Bit Ether Link Wolf King Queen Magic Power Rocket Baby'.split(
    ' ',
  );
const TYPES = ['erc20', 'erc20', 'erc20', 'erc721', 'erc1155'] as const;
const BATCH = 5_000;

/** Tokens a block, so that many share one. */
const PER_BLOCK = 5;

/** Fills a new index in a folder. Resolves to tokens a second. */
export async function fill(dataDir: string, count: number, say: (line: string) => void): Promise<number> {
  const lifecycle = createLifecycle(createLogger({ name: 'bench', level: 'silent' }));
  const index = await openTokenIndex(ETH_MAINNET, { dataDir }, lifecycle);
  let base = await index.resume();
  const begun = performance.now();
  for (let at = 0; at < count; at += BATCH) {
    const tokens = Array.from({ length: Math.min(BATCH, count - at) }, (_, i) => tokenOf(at + i)).sort(
      (a, b) =>
        a.blockHeight === b.blockHeight
          ? a.address.toLowerCase() < b.address.toLowerCase()
            ? -1
            : 1
          : a.blockHeight - b.blockHeight,
    );
    const to = tokens.at(-1)?.blockHeight ?? 0;
    const range = { from: (base?.number ?? 0) + 1, to, hash: `0x${hashOf(to)}`, tokens, others: [] };
    base = await index.append(base, range);
    if ((at + BATCH) % 100_000 === 0) say(`${at + BATCH} of ${count} tokens`);
  }
  const seconds = (performance.now() - begun) / 1000;
  await lifecycle.shutdown('filled');
  return count / seconds;
}

type NewToken = Parameters<Awaited<ReturnType<typeof openTokenIndex>>['append']>[1]['tokens'][number];

function tokenOf(i: number): NewToken {
  const hash = hashOf(i);
  const word = (at: number): string => WORDS[parseInt(hash.slice(at, at + 4), 16) % WORDS.length] ?? '';
  // A fifth of mainnet's tokens are pairs of one exchange, all of the same name.
  const isPair = i % 5 === 0;
  return {
    address: getAddress(`0x${hash.slice(0, 40)}`),
    blockHeight: 1 + Math.floor(i / PER_BLOCK),
    type: TYPES[i % TYPES.length] ?? 'erc20',
    name: isPair ? 'Uniswap V2' : `${word(40)} ${word(44)}`,
    symbol: isPair ? 'UNI-V2' : `${word(48)}${i % 97}`.toUpperCase(),
    decimals: 18,
    lookAt: null,
  };
}

function hashOf(i: number): string {
  return createHash('sha256').update(String(i)).digest('hex');
}
