/** The holders of a token as they are read: addresses come from the index, their balances from the balance service. */
import { isOfZeroAddress, type AmountLine, type AmountLines } from './amounts.ts';
import type { HolderRecord } from './records.ts';

type RecordOf<Kind> = Extract<HolderRecord, { readonly record: Kind }>;

interface StreamDeps {
  readonly facts: RecordOf<'facts'>;
  readonly lines: AmountLines;
  readonly format: HolderFormat;
  /** The fields that are known before the balances. */
  readonly end: Pick<RecordOf<'end'>, 'read' | 'total_supply' | 'next' | 'units'>;
}

const PIECE_CHARACTERS = 64 * 1024;

/** Makes the records of a list, and counts and sums them up. */
export class HolderTally {
  #holders = 0;
  #errors = 0;
  #sum = 0n;

  /** The record of an address; undefined of one that holds nothing. */
  record(line: AmountLine, tokenType: string): RecordOf<'holder' | 'error'> | undefined {
    if ('error' in line) {
      if (isOfZeroAddress(line, tokenType)) return undefined;
      this.#errors += 1;
      return { record: 'error', holder: line.holder, error: line.error };
    }
    if (line.balance === '0') return undefined;
    this.#holders += 1;
    this.#sum += BigInt(line.balance);
    return { record: 'holder', holder: line.holder, balance: line.balance };
  }

  get totals(): Pick<RecordOf<'end'>, 'holders' | 'errors' | 'sum'> {
    return { holders: this.#holders, errors: this.#errors, sum: this.#sum.toString() };
  }
}

/**
 * The text of the answer, piece by piece.
 * @throws {Error} where the balances break off: then the answer has no end
 */
export async function* writeHolders({ facts, lines, format, end }: StreamDeps): AsyncGenerator<string> {
  const tally = new HolderTally();
  let piece = format.write(facts);
  for await (const part of lines) {
    for (const line of part) {
      const record = tally.record(line, facts.token_type);
      if (record === undefined) continue;
      piece += format.write(record);
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
  }
  yield piece + format.write({ record: 'end', ...tally.totals, ...end });
}

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
