/** The events by which tokens are found. */
import { id } from 'ethers/hash';

/** First topics: EIP-20's and EIP-721's Transfer (the same), EIP-1155's TransferSingle and TransferBatch. */
export const TRANSFER_TOPICS: readonly string[] = [
  id('Transfer(address,address,uint256)'),
  id('TransferSingle(address,address,address,uint256,uint256)'),
  id('TransferBatch(address,address,address,uint256[],uint256[])'),
];

/** The first event of a contract within the range. */
export interface FirstSeen {
  /** Lower-cased. */
  readonly address: string;
  readonly block: number;
  readonly blockHash: string;
}

/** Every contract with such an event in a range, by its lower-cased address. */
export type ContractsSeen = ReadonlyMap<string, FirstSeen>;
