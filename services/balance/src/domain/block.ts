/** A block itself: its number, hash and time. */
import { isoDate, type NetworkName, type PinnedReading, type When } from './pinned.ts';

/** Asks for a block. */
export interface BlockQuestion {
  readonly kind: 'block';
  readonly accounts: Readonly<Record<never, never>>;
  readonly when: When;
}

/** The block that was meant. */
export interface BlockReading extends PinnedReading {
  readonly kind: 'block';
  readonly parentHash: string;
}

/** The record of GET …/block. */
export interface BlockRecord {
  readonly network_name: string;
  readonly chain_id: number;
  readonly block_number: number;
  readonly block_hash: string;
  readonly parent_hash: string;
  readonly date: string;
  readonly finalized: boolean;
}

/** The record for a reading. */
export function toBlockRecord(network: NetworkName, { block, parentHash }: BlockReading): BlockRecord {
  return {
    network_name: network.name,
    chain_id: network.chainId,
    block_number: block.number,
    block_hash: block.hash,
    parent_hash: parentHash,
    date: isoDate(block.timestamp),
    finalized: block.finalized,
  };
}
