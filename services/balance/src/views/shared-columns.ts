/** Columns of tables that are the same in each row, so that a row stands for itself. */
import { NATIVE, NATIVE_DECIMALS } from '../domain/asset.ts';
import type { PinnedFields } from '../domain/pinned.ts';
import type { TokenFields } from '../domain/token.ts';
import type { Cell } from '../rows/csv-table.ts';

interface PointFields {
  readonly instant: string | null;
  readonly date: string;
  readonly block: number;
  readonly block_hash: string;
}

/** Whose amounts, and of what. */
export function holdingColumns(
  record: { readonly holder: string } & Partial<TokenFields<string>>,
): Readonly<Record<string, () => Cell>> {
  const { holder, token_address: token, token_symbol: symbol, token_decimals: decimals } = record;
  return {
    holder: () => holder,
    token_address: () => token ?? NATIVE,
    token_symbol: () => symbol,
    token_decimals: () => (token === undefined ? NATIVE_DECIMALS : decimals),
  };
}

/** The moment and the block of a point of a series, as its record has them. */
export const POINT_COLUMNS = {
  instant: (row: PointFields) => row.instant,
  date: (row: PointFields) => row.date,
  block: (row: PointFields) => row.block,
  block_hash: (row: PointFields) => row.block_hash,
};

/** The block that the rows are about. */
export function blockColumns(record: PinnedFields): Readonly<Record<string, () => Cell>> {
  return {
    date: () => record.checked_at_date,
    block: () => record.checked_at_block,
    block_hash: () => record.block_hash,
  };
}
