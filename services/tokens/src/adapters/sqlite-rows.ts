import type { SQLOutputValue } from 'node:sqlite';
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import type { IndexStatus } from '@hindsight/indexing/progress.ts';
import type { Token, TokenType } from '../domain/token.ts';
import type { Checkpoint } from '../ports.ts';

export type Row = Record<string, SQLOutputValue>;

export function toToken(row: Row): Token {
  return {
    address: row.address as string,
    blockHeight: row.block as number,
    type: row.type as TokenType,
    name: row.name as string,
    symbol: row.symbol as string,
    decimals: row.decimals as number | null,
  };
}

export function toCheckpoint(row: Row | undefined): Checkpoint | null {
  return row === undefined ? null : ({ ...row } as unknown as Checkpoint);
}

export function toLease(row: Row | undefined): IndexLease | null {
  if (row === undefined) return null;
  const status = JSON.parse(row.status as string) as IndexStatus;
  return { holder: row.holder as string, until: row.until as number, status };
}
