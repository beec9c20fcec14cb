/** A seeding plan: the state before the first block, then blocks with their transactions. */
import type { Ledger } from './ledger.ts';

export interface PlannedTransaction {
  from: string;
  nonce: number;
  /** null creates a contract. */
  to: string | null;
  readonly data: string;
  /** Wei. */
  value: bigint;
  gas: number;
  /** True if it is intended to revert. */
  fails: boolean;
}

export interface PlannedBlock {
  number: number;
  /** Unix seconds. */
  timestamp: number;
  transactions: PlannedTransaction[];
}

/** State that no transaction of the plan made; a node that takes a genesis file would find it there. */
export interface Genesis {
  number: number;
  /** Unix seconds. */
  timestamp: number;
  /** Wei. */
  balances: ReadonlyMap<string, bigint>;
  /** The real deployers stand at the nonces from which mainnet's addresses follow. */
  nonces: ReadonlyMap<string, number>;
  code: ReadonlyMap<string, string>;
}

export interface Plan {
  genesis: Genesis;
  blocks: readonly PlannedBlock[];
  ledger: Ledger;
}
