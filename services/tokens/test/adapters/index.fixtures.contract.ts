/** Tokens and ranges for the suites of the index. */
import { getAddress, id } from 'ethers';
import { compareTokens, TOKEN_TYPES, type Token } from '../../src/domain/token.ts';
import type { Checkpoint, IndexedRange, NewToken, TokenIndex } from '../../src/ports.ts';

const NAMES = ['Uniswap', 'Uniswap V2', 'USD Coin', 'Tether USD', 'über', '龍', 'Zero', '', '0x Protocol'];
const SYMBOLS = ['UNI', 'UNI-V2', 'USDC', 'USDT', 'UBER', 'L', '', '$', 'ZRX'];

/** The address of the i-th contract of the fixtures. */
export const addressOf = (i: number): string => getAddress(`0x${id(`contract ${i}`).slice(26)}`);

/** The i-th token; several share a block, a name, a symbol. */
export function tokenOf(i: number, changes: Partial<NewToken> = {}): NewToken {
  return {
    address: addressOf(i),
    blockHeight: 100 + Math.floor(i / 3),
    type: TOKEN_TYPES[i % 3]!,
    name: NAMES[i % NAMES.length]!,
    symbol: SYMBOLS[(i * 2) % SYMBOLS.length]!,
    decimals: i % 3 === 0 ? i % 19 : null,
    lookAt: null,
    ...changes,
  };
}

/** The first tokens, in the list's order. */
export function tokensUpTo(count: number): NewToken[] {
  return Array.from({ length: count }, (_, i) => tokenOf(i)).sort(compareTokens);
}

/** The range of blocks with those of the tokens that were first seen in it. */
export function rangeOf(from: number, to: number, tokens: readonly NewToken[]): IndexedRange {
  const within = tokens.filter(({ blockHeight }) => blockHeight >= from && blockHeight <= to);
  return { from, to, hash: id(`block ${to}`), tokens: within, others: [] };
}

/** Appends the tokens, cut into ranges that end at the given blocks. */
export async function appendAll(
  index: TokenIndex,
  tokens: readonly NewToken[],
  ends: readonly number[],
): Promise<Checkpoint> {
  let base = await index.resume();
  for (const end of ends) base = await index.append(base, rangeOf((base?.number ?? 99) + 1, end, tokens));
  return base!;
}

/** A token as the list returns it. */
export function listed({ address, blockHeight, type, name, symbol, decimals }: NewToken): Token {
  return { address, blockHeight, type, name, symbol, decimals };
}
