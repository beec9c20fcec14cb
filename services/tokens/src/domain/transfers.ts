/** The events by which tokens are found. */
import { id } from 'ethers/hash';

/** First topics: EIP-20's and EIP-721's Transfer (the same), EIP-1155's TransferSingle and TransferBatch. */
export const TRANSFER_TOPICS: readonly string[] = [
  id('Transfer(address,address,uint256)'),
  id('TransferSingle(address,address,address,uint256,uint256)'),
  id('TransferBatch(address,address,address,uint256[],uint256[])'),
];

/** Where a contract was first seen within the range. */
export interface FirstSeen {
  /** Lower-cased. */
  readonly address: string;
  readonly block: number;
  readonly blockHash: string;
}

/** Consecutive blocks, ends included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** The contents of a range of blocks, with the hashes that link it to its neighbours. */
export interface RangeReading extends BlockRange {
  /** The parent hash of the first block. */
  readonly parentHash: string;
  /** The hash of the last block. */
  readonly hash: string;
  /** How many events were read. */
  readonly count: number;
  /** Every contract with such an event, by its lower-cased address. */
  readonly contracts: ReadonlyMap<string, FirstSeen>;
}

/** Joins two ranges of which the second follows the first; null where they are not of one chain. */
export function joinReadings(first: RangeReading, second: RangeReading): RangeReading | null {
  if (second.from !== first.to + 1 || second.parentHash !== first.hash) return null;
  return {
    from: first.from,
    to: second.to,
    parentHash: first.parentHash,
    hash: second.hash,
    count: first.count + second.count,
    contracts: new Map([...second.contracts, ...first.contracts]),
  };
}
