/** Many holders at one block: the records of a snapshot's answer. */
import type { TokenFacts } from '@hindsight/chain/tokens/token.ts';
import type { ErrorBody } from '@hindsight/kernel/errors.ts';
import { NATIVE, type Asset } from './asset.ts';
import {
  networkFields,
  pinnedFields,
  type NetworkFields,
  type NetworkName,
  type PinnedFields,
  type ReadBlock,
} from './pinned.ts';
import { balanceStandard, tokenFields, type TokenFields } from './token.ts';

/** A token of the snapshot, as the first record names it. */
export type SnapshotAsset = TokenFields<'erc20' | 'erc721' | 'native'>;

/** The first record: what holds for all that follow. */
export interface SnapshotFacts extends NetworkFields, PinnedFields {
  readonly record: 'facts';
  readonly tokens: readonly SnapshotAsset[];
}

/** A holder's balances. */
export interface SnapshotBalance {
  readonly record: 'balance';
  /** Of the body, from 1. */
  readonly line: number;
  readonly holder: string;
  /** Set in a snapshot of one token. */
  readonly balance?: string | undefined;
  /** Set in a snapshot of several: by token; null if `errors` has the reason. */
  readonly balances?: Readonly<Record<Asset, string | null>> | undefined;
  readonly errors?: Readonly<Record<Asset, ErrorBody>> | undefined;
}

/** A row without an answer. */
export interface SnapshotError {
  readonly record: 'error';
  readonly line: number;
  /** As it was given. */
  readonly holder: string;
  readonly error: ErrorBody;
}

/** The last record; an answer without it is not complete. */
export interface SnapshotEnd {
  readonly record: 'end';
  readonly holders: number;
  /** Rows with an error. */
  readonly errors: number;
  /** Of all balances above; by token in a snapshot of several. */
  readonly sum: string | Readonly<Record<Asset, string>>;
  readonly units: number;
}

/** Any record of a snapshot. */
export type SnapshotRecord = SnapshotFacts | SnapshotBalance | SnapshotError | SnapshotEnd;

/**
 * The first record.
 * @param factsOf what a token is
 * @throws {ApiError} 404 where there is no such token at that block; 400 for an ERC-1155
 */
export function snapshotFacts(
  network: NetworkName,
  block: ReadBlock,
  assets: readonly Asset[],
  factsOf: (token: string) => TokenFacts,
): SnapshotFacts {
  const tokens = assets.map((asset): SnapshotAsset => {
    if (asset === NATIVE) return NATIVE_FIELDS;
    const facts = factsOf(asset);
    return tokenFields(balanceStandard(facts, block.number), facts);
  });
  return {
    record: 'facts',
    ...networkFields(network),
    tokens,
    ...pinnedFields(block),
  };
}

/** The chain's coin is no contract, so it has no name to read. */
const NATIVE_FIELDS: SnapshotAsset = {
  token_address: NATIVE,
  token_name: '',
  token_symbol: '',
  token_type: NATIVE,
  token_decimals: 18,
};
