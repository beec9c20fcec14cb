/** What a wallet held: ether, and every token that logs name. */
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

/** Asks for all that an account holds. */
export interface PortfolioQuestion {
  readonly kind: 'portfolio';
  readonly accounts: { readonly holder: AccountRef };
  readonly when: When;
}

/** A token and how much of it the holder had. */
export interface HeldToken extends NamedToken {
  readonly tokenType: TokenType;
  /** Of an ERC-1155; null for others. */
  readonly tokenId: bigint | null;
  readonly balance: bigint;
}

/** What a holder had at one block. */
export interface PortfolioReading extends PinnedReading {
  readonly kind: 'portfolio';
  /** EIP-55. */
  readonly holder: string;
  readonly wei: bigint;
  readonly held: readonly HeldToken[];
  /** The contracts that were asked, EIP-55. */
  readonly asked: readonly string[];
  /** How many ids of ERC-1155 contracts among them were asked about. */
  readonly askedIds: number;
  /** Those of them of which nothing is known, or not of all of their ids. */
  readonly unread: ReadonlyMap<string, UnreadReason>;
  readonly searched: SearchedBlocks;
}

/** A token in the record. */
interface HeldTokenRecord extends TokenFields<TokenType> {
  /** Of an ERC-1155. */
  readonly token_id?: string | undefined;
  readonly balance: string;
}

/** The record of GET …/portfolio. */
export interface PortfolioRecord extends PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly holder: string;
  /** Wei. */
  readonly native_balance: string;
  readonly tokens: HeldTokenRecord[];
  readonly asked: {
    readonly how: 'logs';
    readonly tokens: string[];
    readonly token_ids: number;
    readonly unread: string[];
    readonly unread_reasons: Record<string, UnreadReason>;
    readonly from_block: number;
    readonly complete: boolean;
  };
}

/** The record for a reading. */
export function toPortfolioRecord(network: NetworkName, reading: PortfolioReading): PortfolioRecord {
  const { holder, block, wei, held, asked, askedIds, unread, searched } = reading;
  return {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
    ...pinnedFields(block),
    native_balance: wei.toString(),
    tokens: held.map((token) => ({
      ...tokenFields(token.tokenType, token),
      token_id: token.tokenId?.toString(),
      balance: token.balance.toString(),
    })),
    asked: {
      how: 'logs',
      tokens: [...asked],
      token_ids: askedIds,
      unread: [...unread.keys()],
      unread_reasons: Object.fromEntries(unread),
      from_block: searched.fromBlock,
      complete: searched.complete,
    },
  };
}
