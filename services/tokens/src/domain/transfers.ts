/** The events by which tokens are found. */
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';

/**
 * First topics: EIP-20's and EIP-721's Transfer (the same), EIP-1155's TransferSingle and TransferBatch, and EIP-2309's
 * ConsecutiveTransfer, by which an EIP-721 contract may mint without the others.
 */
export const TRANSFER_TOPICS: readonly string[] = [
  TOPICS.transfer,
  TOPICS.single,
  TOPICS.batch,
  TOPICS.consecutive,
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
