/** The block of a question: at most one of the three; the latest by default. */
export interface When {
  /** A block's number. */
  readonly block?: number | bigint | undefined;
  /** The last block at or before this moment: a Date, or ISO 8601 (`2023-08-26`, `2023-08-26T16:21:35Z`). */
  readonly date?: Date | string | undefined;
  /** A block's hash: after a reorganisation, the answer is `NotFound`. */
  readonly blockHash?: string | undefined;
}

/** The block as the API's parameters, in a query or a row. */
export type WhenParams = {
  block_height?: number;
  date?: string;
  block_hash?: string;
};

/** @throws {TypeError} for more than one of the three */
export function whenParams({ block, date, blockHash }: When): WhenParams {
  const params: WhenParams = {};
  if (block !== undefined) params.block_height = Number(block);
  if (date !== undefined) params.date = typeof date === 'string' ? date : date.toISOString();
  if (blockHash !== undefined) params.block_hash = blockHash;
  if (Object.keys(params).length > 1) throw new TypeError('give one of block, date and blockHash');
  return params;
}

/**
 * Parses a block from text: its number (`18,000,000`), its hash, a date, or `latest`.
 * @throws {TypeError} for anything else
 */
export function parseWhen(text = 'latest'): When {
  if (text === 'latest') return {};
  if (/^0x[0-9a-f]{64}$/i.test(text)) return { blockHash: text };
  const digits = text.replaceAll(/[,_]/g, '');
  if (/^\d{1,15}$/.test(digits)) return { block: Number(digits) };
  if (/^\d{4}-\d{2}/.test(text)) return { date: text };
  throw new TypeError(
    `${text}: expected a block number, a block hash, or a date such as 2023-08-26 or 2023-08-26T16:21:35Z`,
  );
}
