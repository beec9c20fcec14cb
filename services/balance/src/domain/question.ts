/** The questions that the service answers, as data: what is asked, what is read, and the resulting record. */
import { accountText, type AccountRef } from './account.ts';
import {
  toAllowanceRecord,
  type AllowanceQuestion,
  type AllowanceReading,
  type AllowanceRecord,
} from './allowance.ts';
import {
  toAllowanceListRecord,
  type AllowanceListQuestion,
  type AllowanceListReading,
  type AllowanceListRecord,
} from './allowance-list.ts';
import { toBalanceRecord, type BalanceQuestion, type BalanceReading, type BalanceRecord } from './balance.ts';
import { toNativeRecord, type NativeQuestion, type NativeReading, type NativeRecord } from './native.ts';
import {
  toNftBalanceRecord,
  toNftOwnerRecord,
  type NftBalanceQuestion,
  type NftBalanceReading,
  type NftBalanceRecord,
  type NftOwnerQuestion,
  type NftOwnerReading,
  type NftOwnerRecord,
} from './nft.ts';
import { toBlockRecord, type BlockQuestion, type BlockReading, type BlockRecord } from './block.ts';
import type { NetworkName } from './pinned.ts';
import {
  toPortfolioRecord,
  type PortfolioQuestion,
  type PortfolioReading,
  type PortfolioRecord,
} from './portfolio.ts';
import { toSupplyRecord, type SupplyQuestion, type SupplyReading, type SupplyRecord } from './supply.ts';
import { toVaultRecord, type VaultQuestion, type VaultReading, type VaultRecord } from './vault.ts';

/** What is asked of a network's history. */
export type Question =
  | BalanceQuestion
  | AllowanceQuestion
  | NativeQuestion
  | BlockQuestion
  | SupplyQuestion
  | NftOwnerQuestion
  | NftBalanceQuestion
  | VaultQuestion
  | AllowanceListQuestion
  | PortfolioQuestion;

/** What was read for a question. */
export type Reading =
  | BalanceReading
  | AllowanceReading
  | NativeReading
  | BlockReading
  | SupplyReading
  | NftOwnerReading
  | NftBalanceReading
  | VaultReading
  | AllowanceListReading
  | PortfolioReading;

/** What answers a question. */
export type AnswerRecord =
  | BalanceRecord
  | AllowanceRecord
  | NativeRecord
  | BlockRecord
  | SupplyRecord
  | NftOwnerRecord
  | NftBalanceRecord
  | VaultRecord
  | AllowanceListRecord
  | PortfolioRecord;

/** Names all that an answer depends on except the block. */
export function questionKey({ name }: NetworkName, question: Question): string {
  const accounts = Object.values<AccountRef>(question.accounts).map(accountText);
  const id = 'tokenId' in question ? [question.tokenId] : [];
  return [name, question.kind, ...accounts, ...id].join(':');
}

/**
 * The record for a reading.
 * @throws {ApiError} 400 or 404 where what was read is no answer
 */
export function toRecord(network: NetworkName, reading: Reading): AnswerRecord {
  switch (reading.kind) {
    case 'balance':
      return toBalanceRecord(network, reading);
    case 'allowance':
      return toAllowanceRecord(network, reading);
    case 'native':
      return toNativeRecord(network, reading);
    case 'supply':
      return toSupplyRecord(network, reading);
    case 'nft-owner':
      return toNftOwnerRecord(network, reading);
    case 'nft-balance':
      return toNftBalanceRecord(network, reading);
    case 'vault':
      return toVaultRecord(network, reading);
    case 'block':
      return toBlockRecord(network, reading);
    case 'allowance-list':
      return toAllowanceListRecord(network, reading);
    case 'portfolio':
      return toPortfolioRecord(network, reading);
  }
}
