/** Questions, as data: those of views, and those that have a kind, with their readings and records. */
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
import { toBlockRecord, type BlockQuestion, type BlockReading, type BlockRecord } from './block.ts';
import { toNativeRecord, type NativeQuestion, type NativeReading, type NativeRecord } from './native.ts';
import type { NetworkName, When } from './pinned.ts';
import {
  toPortfolioRecord,
  type PortfolioQuestion,
  type PortfolioReading,
  type PortfolioRecord,
} from './portfolio.ts';

/** What is asked of a network's history. */
export type KindQuestion =
  AllowanceQuestion | NativeQuestion | BlockQuestion | AllowanceListQuestion | PortfolioQuestion;

/** What was read for a question. */
export type KindReading =
  AllowanceReading | NativeReading | BlockReading | AllowanceListReading | PortfolioReading;

/** What answers a question. */
export type AnswerRecord =
  AllowanceRecord | NativeRecord | BlockRecord | AllowanceListRecord | PortfolioRecord;

/** Names all that an answer depends on except the block. */
export function kindKey({ name }: NetworkName, question: KindQuestion): string {
  const accounts = Object.values<AccountRef>(question.accounts).map(accountText);
  return [name, question.kind, ...accounts].join(':');
}

/** The record for a reading. */
export function toRecord(network: NetworkName, reading: KindReading): AnswerRecord {
  switch (reading.kind) {
    case 'allowance':
      return toAllowanceRecord(network, reading);
    case 'native':
      return toNativeRecord(network, reading);
    case 'block':
      return toBlockRecord(network, reading);
    case 'allowance-list':
      return toAllowanceListRecord(network, reading);
    case 'portfolio':
      return toPortfolioRecord(network, reading);
  }
}

/** A parameter's value. All of it is in the question's key, so it can be nothing that JSON leaves out. */
export type Parameter = string | number | bigint | boolean | AccountRef | undefined;

/** The parameters of a question, by their names in the API. */
export type Asked = Readonly<Record<string, Parameter>>;

/** A question, and the block that it is about. */
export interface Question<Q = Asked> {
  readonly asked: Q;
  readonly when: When;
}

/** Parameters with an address (EIP-55) in place of each account. */
export type Resolved<Q> = { readonly [K in keyof Q]: Q[K] extends AccountRef ? string : Q[K] };

/** Names all that an answer depends on except the block: network, operation, and every parameter. */
export function questionKey({ name }: NetworkName, operationId: string, { asked }: Question): string {
  const asJson = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);
  return [name, operationId, JSON.stringify(asked, asJson)].join(':');
}
