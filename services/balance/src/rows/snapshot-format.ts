/** Writes a snapshot as NDJSON or as CSV. */
import { ApiError, type ErrorBody } from '@hindsight/kernel/errors.ts';
import type { Asset } from '../domain/asset.ts';
import { textCell } from './csv-table.ts';
import type {
  SnapshotBalance,
  SnapshotEnd,
  SnapshotError,
  SnapshotFacts,
  SnapshotNodes,
} from './snapshot-records.ts';

export interface AnsweredRow {
  readonly line: number;
  /** The address, or what was given for it where `outcome` is an error. */
  readonly holder: string;
  /** For each asset in turn; or why the row has no answer at all. */
  readonly outcome: readonly (bigint | ApiError)[] | ErrorBody;
  /** The proof of the amount, where proofs were asked for; its nodes by their numbers. */
  readonly proof?: { readonly key?: string; readonly nodes: readonly number[] } | undefined;
}

/** Writes the records of a snapshot, each with its line end. */
export interface SnapshotFormat {
  readonly type: string;
  begin(facts: SnapshotFacts): string;
  /** A part of the nodes of a window's proofs. */
  nodes(nodes: readonly string[]): string;
  row(row: AnsweredRow): string;
  end(end: SnapshotEnd): string;
}

export function ndjson(assets: readonly Asset[]): SnapshotFormat {
  return {
    type: 'application/x-ndjson; charset=utf-8',
    begin: jsonLine,
    nodes: (nodes) => jsonLine({ record: 'nodes', nodes: [...nodes] } satisfies SnapshotNodes),
    row({ line, holder, outcome, proof }) {
      if ('code' in outcome) return errorLine(line, holder, outcome);
      if (assets.length > 1) return jsonLine(severalBalances(assets, line, holder, outcome));
      const amount = outcome[0]!;
      if (amount instanceof ApiError) return errorLine(line, holder, amount.body);
      // As JSON.stringify would write it, at a third of the cost.
      const end = proof === undefined ? '"}\n' : `","proof":${JSON.stringify(proof)}}\n`;
      return `{"record":"balance","line":${line},"holder":"${holder}","balance":"${amount}${end}`;
    },
    end: jsonLine,
  };
}

function jsonLine(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

function errorLine(line: number, holder: string, error: ErrorBody): string {
  return jsonLine({ record: 'error', line, holder, error } satisfies SnapshotError);
}

function severalBalances(
  assets: readonly Asset[],
  line: number,
  holder: string,
  amounts: readonly (bigint | ApiError)[],
): SnapshotBalance {
  const balances: Record<Asset, string | null> = {};
  const errors: Record<Asset, ErrorBody> = {};
  assets.forEach((asset, i) => {
    const amount = amounts[i]!;
    balances[asset] = amount instanceof ApiError ? null : amount.toString();
    if (amount instanceof ApiError) errors[asset] = amount.body;
  });
  const failed = Object.keys(errors).length > 0;
  return { record: 'balance', line, holder, balances, ...(failed ? { errors } : {}) };
}

/**
 * Comma-separated (RFC 4180), lines ending in LF: `line,holder,balance,error`, with a column for each token where there
 * are several. The first and the last record are comments: `# ` and the JSON that NDJSON has.
 */
export function csv(assets: readonly Asset[]): SnapshotFormat {
  const columns = assets.length === 1 ? ['balance'] : assets;
  const blanks = ','.repeat(assets.length);
  return {
    type: 'text/csv; charset=utf-8; header=present',
    // A snapshot with proofs is not given as CSV.
    nodes: () => '',
    begin: (facts) => `# ${jsonLine(facts)}line,holder,${columns.join(',')},error\n`,
    row({ line, holder, outcome }) {
      if ('code' in outcome) return `${line},${textCell(holder)}${blanks},${textCell(outcome.message)}\n`;
      const amounts = outcome.map((amount) => (amount instanceof ApiError ? '' : amount.toString()));
      const errors = outcome.flatMap((amount, i) =>
        amount instanceof ApiError
          ? [assets.length === 1 ? amount.message : `${assets[i]}: ${amount.message}`]
          : [],
      );
      return `${line},${holder},${amounts.join(',')},${textCell(errors.join('; '))}\n`;
    },
    end: (end) => `# ${jsonLine(end)}`,
  };
}
