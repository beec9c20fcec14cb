/** The standard of a token. */
export type TokenType = 'erc20' | 'erc721' | 'erc1155';

export interface NamedToken {
  /** EIP-55. */
  readonly token: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number | null;
}

/** The facts about a contract at one block, the same for every holder. */
export interface TokenFacts extends NamedToken {
  /** `none`: no code at that block; `other`: a contract that is no token. */
  readonly tokenType: TokenType | 'none' | 'other';
  /** It may be a token, but to read it takes too much gas. */
  readonly tooCostly: boolean;
}

export function isToken<F extends Pick<TokenFacts, 'tokenType'>>(
  facts: F,
): facts is F & { readonly tokenType: TokenType } {
  return facts.tokenType !== 'none' && facts.tokenType !== 'other';
}
