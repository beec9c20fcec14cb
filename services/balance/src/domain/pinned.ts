/** The block that an answer is pinned to. */

/** The block of a question; a date means the last block at or before it, in Unix seconds. */
export type When =
  | 'latest'
  | { readonly height: number }
  | { readonly date: number }
  | { readonly hash: string };

export interface ReadBlock {
  readonly number: number;
  readonly hash: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly finalized: boolean;
  /** The block of another network at which names were resolved; undefined where there were none. */
  readonly namesAt?: NamesAt | undefined;
}

/** A block of the network that has the names. */
export interface NamesAt extends Omit<ReadBlock, 'namesAt'> {
  readonly network: string;
}

export interface NetworkName {
  readonly name: string;
  readonly chainId: number;
  /** The native coin: no contract says its decimals. */
  readonly native: { readonly decimals: number };
}

export function networkFields({ name, chainId }: Pick<NetworkName, 'name' | 'chainId'>) {
  return { network_name: name, chain_id: chainId };
}

export type NetworkFields = ReturnType<typeof networkFields>;

/** Unix seconds as answers write a date: ISO 8601 in UTC, with milliseconds. */
export function isoDate(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

export function pinnedFields(block: ReadBlock) {
  return {
    checked_at_block: block.number,
    checked_at_date: isoDate(block.timestamp),
    block_hash: block.hash,
    finalized: block.finalized,
    ...namesFields(block.namesAt),
  };
}

/** A block in the format of answers. */
export type PinnedFields = ReturnType<typeof pinnedFields>;

/** Formats the block of names for an answer; no field where there is none. */
export function namesFields(at: NamesAt | undefined) {
  if (at === undefined) return {};
  const { network, number, hash, timestamp, finalized } = at;
  const date = isoDate(timestamp);
  return { names_resolved_at: { network_name: network, block: number, block_hash: hash, date, finalized } };
}
