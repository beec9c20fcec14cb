/** The block that an answer is pinned to. */

/** The block of a question; a date means the last block at or before it, in Unix seconds. */
export type When =
  'latest' | { readonly height: number } | { readonly date: number } | { readonly hash: string };

/** The block that was read. */
export interface ReadBlock {
  readonly number: number;
  readonly hash: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly finalized: boolean;
}

/** The network of a history. */
export interface NetworkName {
  readonly name: string;
  readonly chainId: number;
}

/** A network in the format of answers. */
export interface NetworkFields {
  readonly network_name: string;
  readonly chain_id: number;
}

/** Formats a network for an answer. */
export function networkFields({ name, chainId }: NetworkName): NetworkFields {
  return { network_name: name, chain_id: chainId };
}

/** A block in the format of answers. */
export interface PinnedFields {
  readonly checked_at_block: number;
  readonly checked_at_date: string;
  readonly block_hash: string;
  readonly finalized: boolean;
}

/** Unix seconds as answers write a date: ISO 8601 in UTC, with milliseconds. */
export function isoDate(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** Formats a block for an answer. */
export function pinnedFields(block: ReadBlock): PinnedFields {
  return {
    checked_at_block: block.number,
    checked_at_date: isoDate(block.timestamp),
    block_hash: block.hash,
    finalized: block.finalized,
  };
}
