/** Columns of tables that are the same in each row, so that a row stands for itself. */
import { NATIVE } from '../domain/asset.ts';
import type { NetworkName, PinnedFields } from '../domain/pinned.ts';
import type { TokenFields } from '../domain/token.ts';
import { fieldColumns, type Cell } from '../rows/csv-table.ts';

/** The holder of the amounts, and their token. */
export function holdingColumns(
  { native }: NetworkName,
  record: { readonly holder: string } & Partial<TokenFields<string>>,
): Readonly<Record<string, () => Cell>> {
  const { holder, token_address: token, token_symbol: symbol, token_decimals: decimals } = record;
  return {
    holder: () => holder,
    token_address: () => token ?? NATIVE,
    token_symbol: () => symbol,
    token_decimals: () => (token === undefined ? native.decimals : decimals),
  };
}

/** The moment and the block of a point of a series, as its record has them. */
export const POINT_COLUMNS = fieldColumns('instant', 'date', 'block', 'block_hash');

export const TOKEN_COLUMNS = fieldColumns(
  'token_address',
  'token_name',
  'token_symbol',
  'token_decimals',
  'token_type',
);

/** The token of a row about a contract that did not answer: nothing but its address. */
export function unreadToken(address: string): Record<keyof typeof TOKEN_COLUMNS, string | undefined> {
  const named = { token_name: undefined, token_symbol: undefined };
  return { token_address: address, ...named, token_decimals: undefined, token_type: undefined };
}

export function blockColumns(
  record: Omit<PinnedFields, 'names_resolved_at'>,
): Readonly<Record<string, () => Cell>> {
  return {
    date: () => record.checked_at_date,
    block: () => record.checked_at_block,
    block_hash: () => record.block_hash,
  };
}
