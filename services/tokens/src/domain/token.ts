/** The entries of the list. */

export const TOKEN_TYPES = ['erc20', 'erc721', 'erc1155'] as const;

export type TokenType = (typeof TOKEN_TYPES)[number];

/** A token's description of itself; texts are sanitized. */
export interface TokenNames {
  /** Empty where the contract has none. */
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number | null;
}

export interface Token extends TokenNames {
  /** EIP-55. */
  readonly address: string;
  /** The block of its first event of a transfer (`TRANSFER_TOPICS`). */
  readonly blockHeight: number;
  readonly type: TokenType;
}

/** The order of the list: by block, then by address. */
export function compareTokens(a: Token, b: Token): number {
  if (a.blockHeight !== b.blockHeight) return a.blockHeight - b.blockHeight;
  return a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1;
}

/** True if a name or symbol is missing that a contract may still get: it is checked again later. */
export function lacksNames({ name, symbol }: TokenNames): boolean {
  return name === '' || symbol === '';
}

/** Merges a later look: existing values stay, missing ones are filled in. */
export function fillNames(known: TokenNames, later: TokenNames): TokenNames {
  return {
    name: known.name === '' ? later.name : known.name,
    symbol: known.symbol === '' ? later.symbol : known.symbol,
    decimals: known.decimals ?? later.decimals,
  };
}
