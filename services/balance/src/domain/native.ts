/** What an account held of the chain's own coin. */
import { pinnedFields, type NetworkName, type PinnedFields, type PinnedReading } from './pinned.ts';

/** An account's wei at one block. */
export interface NativeReading extends PinnedReading {
  /** EIP-55. */
  readonly holder: string;
  readonly wei: bigint;
}

/** The native balance record of decisions.md. */
export interface NativeRecord extends PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly holder: string;
  /** Wei. */
  readonly balance: string;
}

/** The record for a reading. */
export function toNativeRecord(network: NetworkName, { block, holder, wei }: NativeReading): NativeRecord {
  return {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
    ...pinnedFields(block),
    balance: wei.toString(),
  };
}
