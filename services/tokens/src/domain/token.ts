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

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Seconds after the look before, by the times of blocks: an hour, a day, a week, a month; then no more. */
export const LOOK_AGAIN_AFTER: readonly number[] = [HOUR, DAY, 7 * DAY, 30 * DAY];

/** The time of the next look, or null where there is none. @param looks how many were taken after the first */
export function nextLook(looks: number, now: number, schedule: readonly number[]): number | null {
  const after = schedule[looks];
  return after === undefined ? null : now + after;
}

/** Merges a later look: existing values stay, missing ones are filled in. */
export function fillNames(known: TokenNames, later: TokenNames): TokenNames {
  return {
    name: known.name === '' ? later.name : known.name,
    symbol: known.symbol === '' ? later.symbol : known.symbol,
    decimals: known.decimals ?? later.decimals,
  };
}
