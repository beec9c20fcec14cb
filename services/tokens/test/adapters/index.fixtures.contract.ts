/** Tokens and ranges for the suites of the index. */
import { getAddress, id } from 'ethers';
import { foldText, MAX_SEARCH, type ListFilter } from '../../src/domain/lists.ts';
import { compareTokens, TOKEN_TYPES, type Token } from '../../src/domain/token.ts';
import type { Checkpoint, IndexedRange, NewToken, TokenIndex } from '../../src/ports.ts';

const NAMES = [
  'Uniswap',
  'Uniswap V2',
  'USD Coin',
  'Tether USD',
  'über',
  '龍',
  'Zero',
  '',
  '0x Protocol',
  'CryptoKitties',
];
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

/** The rows of tokens and of their positions in lists. */
export interface RowsAsBefore {
  readonly tokens: readonly NewToken[];
  readonly positions: readonly { readonly list: string; readonly n: number; readonly ordinal: number }[];
}

/** Tokens as 0.2.0 listed them: by the beginnings of names and symbols only. */
export function rowsAsBefore(tokens: readonly NewToken[]): RowsAsBefore {
  const sizes = new Map<string, number>();
  const positions = tokens.flatMap(({ type, name, symbol }, ordinal) => {
    const beginnings = [name, symbol].flatMap((text) => {
      const characters = [...foldText(text)].slice(0, MAX_SEARCH);
      return characters
        .map((_, i) => characters.slice(0, i + 1).join(''))
        .filter((one) => !one.endsWith(' '));
    });
    const lists = new Set(beginnings.flatMap((one) => [`\t${one}`, `${type}\t${one}`]));
    return [`${type}\t`, ...lists].map((list) => {
      const n = sizes.get(list) ?? 0;
      sizes.set(list, n + 1);
      return { list, n, ordinal };
    });
  });
  return { tokens, positions };
}

/** The text, and what follows from each of its words on. */
function fromEachWord(text: string): string[] {
  const words = text.split(/(?<=[^\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=\p{Ll})(?=\p{Lu})/u);
  return words.map((_, i) => foldText(words.slice(i).join('')));
}

/** The tokens of a list, found without an index among all tokens in order. */
export function matching(tokens: readonly Token[], { type, prefix }: ListFilter): readonly Token[] {
  return tokens.filter((token) => {
    if (type !== undefined && token.type !== type) return false;
    if (prefix === undefined) return true;
    return [token.name, token.symbol].flatMap(fromEachWord).some((text) => text.startsWith(prefix));
  });
}
