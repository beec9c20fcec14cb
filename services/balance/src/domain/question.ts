/** The questions that the service answers, as data: what is asked, what is read, and the resulting record. */
import { accountText } from './account.ts';
import {
  toAllowanceRecord,
  type AllowanceQuestion,
  type AllowanceReading,
  type AllowanceRecord,
} from './allowance.ts';
import { toBalanceRecord, type BalanceQuestion, type BalanceReading, type BalanceRecord } from './balance.ts';
import { toNativeRecord, type NativeQuestion, type NativeReading, type NativeRecord } from './native.ts';
import { toBlockRecord, type BlockQuestion, type BlockReading, type BlockRecord } from './block.ts';
import type { NetworkName } from './pinned.ts';

/** What is asked of a network's history. */
export type Question = BalanceQuestion | AllowanceQuestion | NativeQuestion | BlockQuestion;

/** What was read for a question. */
export type Reading = BalanceReading | AllowanceReading | NativeReading | BlockReading;

/** Names all that an answer depends on except the block. */
export function questionKey({ name }: NetworkName, { kind, accounts }: Question): string {
  return [name, kind, ...Object.values(accounts).map(accountText)].join(':');
}

/**
 * The record for a reading.
 * @throws {ApiError} 400 or 404 where what was read is no answer
 */
export function toRecord(
  network: NetworkName,
  reading: Reading,
): BalanceRecord | AllowanceRecord | NativeRecord | BlockRecord {
  switch (reading.kind) {
    case 'balance':
      return toBalanceRecord(network, reading);
    case 'allowance':
      return toAllowanceRecord(network, reading);
    case 'native':
      return toNativeRecord(network, reading);
    case 'block':
      return toBlockRecord(network, reading);
  }
}
