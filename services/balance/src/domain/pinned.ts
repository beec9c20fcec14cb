/** What every answer says about the block that it is pinned to. */

/** Which block is asked about; a date means the last block at or before it, in Unix seconds. */
export type When = 'latest' | { readonly height: number } | { readonly date: number };

/** The block that was read. */
export interface ReadBlock {
  readonly number: number;
  readonly hash: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly finalized: boolean;
}

/** What was read, and where. */
export interface PinnedReading {
  readonly block: ReadBlock;
  /** Whether the same question will be answered alike for ever. */
  readonly lasting: boolean;
}

/** The network whose history is asked for. */
export interface NetworkName {
  readonly name: string;
  readonly chainId: number;
}

/** A block as answers write it. */
export interface PinnedFields {
  readonly checked_at_block: number;
  readonly checked_at_date: string;
  readonly block_hash: string;
  readonly finalized: boolean;
}

/** Writes a block as answers do. */
export function pinnedFields(block: ReadBlock): PinnedFields {
  return {
    checked_at_block: block.number,
    checked_at_date: new Date(block.timestamp * 1000).toISOString(),
    block_hash: block.hash,
    finalized: block.finalized,
  };
}
