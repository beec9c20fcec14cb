/** Readings of a wallet, as far as logs name what to ask. */
import type { NamedToken, TokenType } from '@hindsight/chain/tokens/token.ts';
import type { PageStart } from './list-page.ts';
import type { UnreadReason } from './unread.ts';

export interface SearchedBlocks {
  /** `index`: in the index of events, and in the logs of the blocks that it does not have yet. */
  readonly how: 'index' | 'logs';
  /** The first one; the last is the block of the answer. */
  readonly fromBlock: number;
  /** True if no block before that is left out. */
  readonly complete: boolean;
}

/** A token and how much of it the holder had. */
export interface HeldToken extends NamedToken {
  readonly tokenType: TokenType;
  /** Of an ERC-1155; null for others. */
  readonly tokenId: bigint | null;
  readonly balance: bigint;
}

export interface Holdings {
  readonly wei: bigint;
  readonly held: readonly HeldToken[];
  /** The contracts that were read, EIP-55. */
  readonly asked: readonly string[];
  /** Number of ids of ERC-1155 contracts among them that were read. */
  readonly askedIds: number;
  /** Those of them of which nothing is known, or not of all of their ids. */
  readonly unread: ReadonlyMap<string, UnreadReason>;
  readonly searched: SearchedBlocks;
  /** Null on the last page. */
  readonly next: PageStart | null;
}

/** A contract and a spender, EIP-55. */
export interface SpenderOf {
  readonly token: string;
  readonly spender: string;
}

/** An allowance that is not zero, or an operator. */
export interface OpenAllowance extends NamedToken {
  readonly tokenType: TokenType;
  /** EIP-55. */
  readonly spender: string;
  /** Null for an operator, who may move all tokens. */
  readonly amount: bigint | null;
  /** Of an allowance of Permit2's own: Unix seconds, the last at which it holds. Null for a token's. */
  readonly expiration: number | null;
}

/** The allowances and operators of an owner at one block. */
export interface Approvals {
  readonly open: readonly OpenAllowance[];
  /** Number of pairs of a contract and a spender that were read. */
  readonly asked: number;
  readonly unread: readonly (SpenderOf & { readonly reason: UnreadReason })[];
  /** Contracts with more spenders in logs than were read, EIP-55. */
  readonly cut: readonly string[];
  readonly searched: SearchedBlocks;
  /** Null on the last page. */
  readonly next: PageStart | null;
}
