/** What an owner allowed: every allowance and every operator that logs name. */
import type { NamedToken, TokenType } from '@hindsight/chain/tokens/token.ts';
import type { AccountRef } from './account.ts';
import {
  pinnedFields,
  type NetworkName,
  type PinnedFields,
  type PinnedReading,
  type When,
} from './pinned.ts';
import type { SearchedBlocks } from './searched-blocks.ts';
import { tokenFields, type TokenFields } from './token.ts';
import type { UnreadReason } from './unread.ts';

/** Asks for all that an owner allows. */
export interface AllowanceListQuestion {
  readonly kind: 'allowance-list';
  readonly accounts: { readonly owner: AccountRef };
  readonly when: When;
}

/** What a spender may spend. */
export interface OpenAllowance extends NamedToken {
  readonly tokenType: TokenType;
  /** EIP-55. */
  readonly spender: string;
  /** Null for an operator, who may move all tokens. */
  readonly amount: bigint | null;
}

/** A contract and a spender. */
export interface SpenderOf {
  /** EIP-55. */
  readonly token: string;
  /** EIP-55. */
  readonly spender: string;
}

/** What an owner allowed at one block. */
export interface AllowanceListReading extends PinnedReading {
  readonly kind: 'allowance-list';
  /** EIP-55. */
  readonly owner: string;
  readonly open: readonly OpenAllowance[];
  /** How many pairs of a contract and a spender were asked about. */
  readonly asked: number;
  /** Those of them of which nothing is known. */
  readonly unread: readonly (SpenderOf & { readonly reason: UnreadReason })[];
  /** Contracts of which more spenders are named than were asked about, EIP-55. */
  readonly cut: readonly string[];
  readonly searched: SearchedBlocks;
}

/** The record of GET …/allowance/list. */
export interface AllowanceListRecord extends PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly owner: string;
  readonly allowances: (TokenFields<TokenType> & {
    readonly spender: string;
    readonly allowance: string | null;
  })[];
  readonly asked: {
    readonly how: 'logs';
    readonly pairs: number;
    readonly unread: {
      readonly token_address: string;
      readonly spender: string;
      readonly reason: UnreadReason;
    }[];
    readonly cut: string[];
    readonly from_block: number;
    readonly complete: boolean;
  };
}

/** The record for a reading. */
export function toAllowanceListRecord(
  network: NetworkName,
  { owner, block, open, asked, unread, cut, searched }: AllowanceListReading,
): AllowanceListRecord {
  return {
    network_name: network.name,
    chain_id: network.chainId,
    owner,
    ...pinnedFields(block),
    allowances: open.map((allowance) => ({
      ...tokenFields(allowance.tokenType, allowance),
      spender: allowance.spender,
      allowance: allowance.amount?.toString() ?? null,
    })),
    asked: {
      how: 'logs',
      pairs: asked,
      unread: unread.map(({ token, spender, reason }) => ({ token_address: token, spender, reason })),
      cut: [...cut],
      from_block: searched.fromBlock,
      complete: searched.complete,
    },
  };
}
