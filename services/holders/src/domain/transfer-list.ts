/** The transfers of a token or an account: the records of the answer, and the cursor of its next page. */
import type { IndexedBlocks } from './holder-list.ts';
import type { Movement } from './transfer.ts';

/** The order of the answer. */
export type TransferOrder = 'newest' | 'oldest';

/** One movement, with its place in the chain. */
export interface TransferRow {
  readonly block: number;
  readonly block_hash: string;
  readonly date: string;
  readonly transaction: string;
  readonly log_index: number;
  readonly token_address: string;
  readonly event: Movement['event'];
  readonly from: string;
  readonly to: string;
  readonly amount: string | null;
  readonly token_id: string | null;
}

/** Blocks that are indexed of all tokens of the question. */
export interface IndexedTransfers extends IndexedBlocks {
  /** The tokens that are indexed, where not all are and the question names none. */
  readonly tokens: readonly string[] | null;
}

/** The block of another network that has the account's name, as the balance service says it. */
export interface NamesResolvedAt {
  readonly network_name: string;
  readonly block: number;
  readonly block_hash: string;
  readonly date: string;
  readonly finalized: boolean;
}

/** The facts about a page. */
export interface TransferFacts {
  readonly network_name: string;
  readonly chain_id: number;
  readonly token_address: string | null;
  readonly holder: string | null;
  readonly names_resolved_at?: NamesResolvedAt | undefined;
  readonly from_block: number;
  readonly to_block: number;
  readonly block_hash: string;
  readonly finalized: boolean;
  readonly order: TransferOrder;
  readonly index: IndexedTransfers;
}

/** A page. */
export interface TransferPage extends TransferFacts {
  readonly units: number;
  /** The `cursor` of the next page; null on the last one. */
  readonly next: string | null;
  readonly transfers: readonly TransferRow[];
}

/** The last row of a page: the next one goes on behind it. */
export interface TransferCursor {
  readonly block: number;
  readonly logIndex: number;
  /** Of the movements of one event. */
  readonly part: number;
  /** The hash of the last block of the question. */
  readonly to: string;
  /** Of the question: a cursor continues no other. */
  readonly mark: string;
}

const CURSOR = /^(\d{1,15})\.(\d{1,10})\.(\d{1,10})\.(0x[0-9a-f]{64})\.([0-9a-f]{16})$/;

/** Longer than any. */
export const MAX_CURSOR = 200;

/** Writes a cursor. */
export function writeCursor({ block, logIndex, part, to, mark }: TransferCursor): string {
  return Buffer.from([block, logIndex, part, to, mark].join('.')).toString('base64url');
}

/** Reads a cursor; undefined where it is none. */
export function readCursor(text: string): TransferCursor | undefined {
  const [, block, logIndex, part, to, mark] =
    CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (to === undefined || mark === undefined) return undefined;
  return { block: Number(block), logIndex: Number(logIndex), part: Number(part), to, mark };
}

const COLUMNS = [
  'block',
  'block_hash',
  'date',
  'transaction',
  'log_index',
  'token_address',
  'event',
  'from',
  'to',
  'amount',
  'token_id',
] as const satisfies readonly (keyof TransferRow)[];

/** The page as CSV: a row for each transfer between two comments, `# ` and JSON: the facts, and the end with `next`. */
export function toCsv({ units, next, transfers, ...facts }: TransferPage): string {
  const rows = transfers.map((row) => COLUMNS.map((column) => row[column] ?? '').join(','));
  const end = { record: 'end', transfers: transfers.length, next, units };
  return [
    `# ${JSON.stringify({ record: 'facts', ...facts })}`,
    COLUMNS.join(','),
    ...rows,
    `# ${JSON.stringify(end)}\n`,
  ].join('\n');
}
