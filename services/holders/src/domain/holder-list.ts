/** The holders of a token at one block: the records of the answer. */
import type { ErrorBody } from '@hindsight/kernel/errors.ts';

/** The blocks that the index covers for a token. */
export interface IndexedBlocks {
  readonly from_block: number;
  readonly to_block: number;
  /** The token did not exist, or had no supply, where the index begins: all addresses that events named are in it. */
  readonly complete: boolean;
}

/** The first record: what holds for all that follow. */
export interface HolderFacts {
  readonly record: 'facts';
  readonly network_name: string;
  readonly chain_id: number;
  readonly token_address: string;
  readonly token_name: string;
  readonly token_symbol: string;
  readonly token_type: 'erc20' | 'erc721' | 'erc1155';
  readonly token_decimals: number | null;
  readonly checked_at_block: number;
  readonly checked_at_date: string;
  readonly block_hash: string;
  readonly finalized: boolean;
  /** Only where one id was asked about. */
  readonly token_id?: string | undefined;
  readonly index: IndexedBlocks;
}

/** A holder with a balance above zero. */
export interface HolderBalance {
  readonly record: 'holder';
  readonly holder: string;
  readonly balance: string;
}

/** An address whose balance could not be read: it may be a holder. */
export interface HolderError {
  readonly record: 'error';
  readonly holder: string;
  readonly error: ErrorBody;
}

/** The last record; an answer without it is not complete. */
export interface HolderEnd {
  readonly record: 'end';
  readonly holders: number;
  readonly errors: number;
  /** Addresses that were touched, so that their balance was read. */
  readonly read: number;
  /** Of the balances above. */
  readonly sum: string;
  /** As the contract reports it; null if it reports none. */
  readonly total_supply: string | null;
  /** The `after` of the next request; null at the end of the list. */
  readonly next: string | null;
  readonly units: number;
}

/** The facts about a file of holders, sent beside it. Tokens' names are not among them: they may have any letters. */
export type FileFacts = Omit<HolderFacts, 'record' | 'token_name' | 'token_symbol'> &
  Omit<HolderEnd, 'record'>;

/** One of the largest holders. */
export interface LargestHolder {
  readonly holder: string;
  readonly balance: string;
  /** Millionths of the total supply, rounded down; null where the contract reports none. */
  readonly share_ppm: number | null;
}

/** The largest holders of a token at one block. */
export interface LargestHolders
  extends Omit<HolderFacts, 'record'>, Omit<HolderEnd, 'record' | 'holders' | 'next'> {
  /** Addresses with a balance above zero. */
  readonly holder_count: number;
  readonly holders: readonly LargestHolder[];
}

/** Number of holders at one block. */
export interface HolderPoint {
  readonly block: number;
  readonly block_hash: string;
  readonly date: string;
  /** Null where there was no such token. */
  readonly holders: number | null;
  /** Addresses whose balance could not be read. */
  readonly errors: number;
}

/** The number of holders over time. The facts are of the last point. */
export interface HolderSeries extends Omit<HolderFacts, 'record'>, Pick<HolderEnd, 'read' | 'units'> {
  readonly points: readonly HolderPoint[];
}

/** Any record of the answer. */
export type HolderRecord = HolderFacts | HolderBalance | HolderError | HolderEnd;

/** Writes the records of an answer, each with its line end. */
export interface HolderFormat {
  readonly type: string;
  write(record: HolderRecord): string;
}

/** One JSON object a line. */
export const NDJSON: HolderFormat = {
  type: 'application/x-ndjson; charset=utf-8',
  write(record) {
    // As JSON.stringify would write it, at a third of the cost.
    if (record.record === 'holder')
      return `{"record":"holder","holder":"${record.holder}","balance":"${record.balance}"}\n`;
    return jsonLine(record);
  },
};

/** Comma-separated: `holder,balance,error`. The first and the last record are comments: `# ` and the JSON. */
export const CSV: HolderFormat = {
  type: 'text/csv; charset=utf-8; header=present',
  write(record) {
    if (record.record === 'facts') return `# ${jsonLine(record)}holder,balance,error\n`;
    if (record.record === 'end') return `# ${jsonLine(record)}`;
    if (record.record === 'holder') return `${record.holder},${record.balance},\n`;
    return `${record.holder},,"${record.error.message.replaceAll('"', '""')}"\n`;
  },
};

function jsonLine(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
