/**
 * Verifies a snapshot with its proofs (`proof=storage`), record by record, as it comes or from a file. Needs no server and no
 * network, and holds no more than the nodes of one window.
 */
import { Refused, type RefusalReason } from './refused.ts';
import { verify, type Trusted, type Unverified, type Verified } from './verify.ts';

/** The one thing that is trusted, and what else the caller knows. */
export interface TrustedSnapshot extends Omit<Trusted, 'key'> {
  /** Called for each row, in turn. */
  readonly onRow?: ((row: VerifiedRow) => void) | undefined;
}

/** A row of a snapshot, and whether the state of the block confirms it. */
export interface VerifiedRow {
  /** The number of the row in the file, from 1. */
  readonly row: number;
  /** As the row states it. */
  readonly holder: string;
  readonly result: Verified | Unverified;
}

/** The outcome of a snapshot. */
export interface SnapshotVerdict {
  /** True if there are rows, each is verified, and the last record says that there are no more. */
  readonly verified: boolean;
  /** The reason why it is not: that of the first row, or of the file. */
  readonly refusal: Omit<Unverified, 'verified'> | null;
  readonly rows: number;
  readonly verifiedRows: number;
  /** The sum of the balances that are verified, in the smallest unit. */
  readonly sum: bigint;
}

type Fields = Readonly<Record<string, unknown>>;

/** The nodes of a window of 128 rows, with the longest paths that are possible. */
const MAX_SHARED_NODES = 128 * 65;

/**
 * Verifies the records of a snapshot. Throws only what the source of the records throws. The parts of a snapshot that was
 * continued, or took several requests, may follow one another, each with its `facts`; all must be of the trusted block. A row
 * that two parts have is counted twice.
 *
 * The first balance that is not zero shows the token's mapping, and all later ones must be entries of it. A zero before it
 * needs the `index` and the `layout`.
 * @param records each a line, as JSON gives it
 */
export async function verifySnapshot(
  records: Iterable<unknown> | AsyncIterable<unknown>,
  { onRow, blockHash, index, layout }: TrustedSnapshot,
): Promise<SnapshotVerdict> {
  const reading = new Reading({ blockHash, index, layout });
  for await (const record of records) {
    const row = reading.read(record);
    if (row !== undefined) onRow?.(row);
  }
  return reading.verdict();
}

class Reading {
  #trusted: Trusted;
  #facts: Fields | undefined;
  #nodes: unknown[] = [];
  #isAfterRow = true;
  #isComplete = false;
  #refusal: Omit<Unverified, 'verified'> | null = null;
  /** Of the part that is read. */
  #part = { rows: 0, sum: 0n };
  #rows = 0;
  #verifiedRows = 0;
  #sum = 0n;

  constructor(trusted: Trusted) {
    this.#trusted = trusted;
  }

  /** Reads a record, which may come from anyone. @returns the row, if the record is one */
  read(record: unknown): VerifiedRow | undefined {
    try {
      return this.#readRecord(record);
    } catch (error) {
      // A getter or a proxy in the record may throw anything.
      const refused =
        error instanceof Refused ? error : new Refused('invalid_answer', 'a record cannot be read');
      this.#refuse({ reason: refused.reason, message: refused.message });
      return undefined;
    }
  }

  verdict(): SnapshotVerdict {
    if (!this.#isComplete)
      this.#refuse({ reason: 'incomplete', message: 'the snapshot has no end: rows may be missing' });
    // The header is checked with each row, so without any it is not checked at all.
    else if (this.#rows === 0) this.#refuse({ reason: 'incomplete', message: 'the snapshot has no rows' });
    return {
      verified: this.#refusal === null,
      refusal: this.#refusal,
      rows: this.#rows,
      verifiedRows: this.#verifiedRows,
      sum: this.#sum,
    };
  }

  #readRecord(record: unknown): VerifiedRow | undefined {
    if (typeof record !== 'object' || record === null) throw invalid('a line: expected a record');
    const { ...fields } = record as Fields;
    switch (fields.record) {
      case 'facts':
        this.#begin(fields);
        return undefined;
      case 'nodes':
        this.#addNodes(fields.nodes);
        return undefined;
      case 'balance':
      case 'error':
        return this.#readRow(fields);
      case 'end':
        this.#end(fields);
        return undefined;
      default:
        throw invalid('record: expected facts, nodes, balance, error or end');
    }
  }

  #begin(facts: Fields): void {
    if (facts.proof === undefined)
      throw new Refused('no_proof', 'the snapshot has no proofs: ask for it with proof=storage');
    if (this.#facts !== undefined && assetOf(this.#facts).token_address !== assetOf(facts).token_address)
      throw invalid('tokens: the parts of the snapshot are of different tokens');
    this.#facts = facts;
    this.#isComplete = false;
    this.#part = { rows: 0, sum: 0n };
    this.#isAfterRow = true;
  }

  #addNodes(nodes: unknown): void {
    if (this.#isAfterRow) this.#nodes = [];
    this.#isAfterRow = false;
    if (!Array.isArray(nodes)) throw invalid('nodes: expected an array');
    const { length } = nodes;
    if (this.#nodes.length + length > MAX_SHARED_NODES)
      throw new Refused('too_large', `the nodes of a window: expected at most ${MAX_SHARED_NODES}`);
    for (let at = 0; at < length; at++) this.#nodes.push(nodes[at]);
  }

  #readRow(row: Fields): VerifiedRow {
    this.#isAfterRow = true;
    this.#part.rows += 1;
    this.#rows += 1;
    const number = this.#rows;
    const result = this.#verifyRow(row);
    if (!result.verified) {
      const { reason, message } = result;
      this.#refuse({ reason, message: `row ${number}: ${message}` });
    } else {
      this.#verifiedRows += 1;
      this.#sum += result.amount;
      this.#part.sum += result.amount;
      if (result.slot !== null) {
        const { index, layout } = result.slot;
        this.#trusted = { ...this.#trusted, index: index ?? undefined, layout };
      }
    }
    return { row: number, holder: String(row.holder), result };
  }

  #verifyRow(row: Fields): Verified | Unverified {
    const refuse = (reason: RefusalReason, message: string): Unverified => ({
      verified: false,
      reason,
      message,
    });
    if (row.record === 'error') return refuse('no_balance', 'has an error in place of a balance');
    if (this.#facts === undefined || this.#isComplete)
      return refuse('invalid_answer', 'expected the record facts before it');
    if (row.line !== this.#part.rows) return refuse('invalid_answer', `line: expected ${this.#part.rows}`);
    const { holder, balance } = row;
    return verify({ ...this.#answer(this.#facts, row), holder, balance }, this.#trusted);
  }

  /** The fields of the answer that the row would have alone. */
  #answer(facts: Fields, row: Fields): Fields {
    const { checked_at_block, checked_at_date, block_hash } = facts;
    const pinned = { checked_at_block, checked_at_date, block_hash };
    const { header_rlp, account_proof, claim } = fieldsOf(facts.proof);
    const { key, nodes } = fieldsOf(row.proof);
    const path = Array.isArray(nodes) ? nodes.slice(0, 66).map((at) => this.#nodes[at as number]) : nodes;
    const { token_address: token, token_id } = assetOf(facts);
    if (token === 'native')
      return { ...pinned, token_id, proof: { header_rlp, claim, account_proof: path, storage: [] } };
    const value = typeof row.balance === 'string' && /^[0-9]{1,78}$/.test(row.balance) ? row.balance : 0;
    const storage = [{ key, value: `0x${BigInt(value).toString(16)}`, proof: path }];
    return {
      ...pinned,
      token_address: token,
      token_id,
      proof: { header_rlp, account_proof, claim, storage },
    };
  }

  #end({ holders, sum }: Fields): void {
    this.#isComplete = true;
    if (holders !== this.#part.rows)
      throw new Refused(
        'incomplete',
        `the end states ${String(holders)} rows, and there are ${this.#part.rows}`,
      );
    if (sum !== `${this.#part.sum}` && this.#refusal === null)
      throw new Refused(
        'amount',
        `the end states the sum ${String(sum)}, and the rows have ${this.#part.sum}`,
      );
  }

  /** Notes the first reason. */
  #refuse(refusal: Omit<Unverified, 'verified'>): void {
    this.#refusal ??= refusal;
  }
}

/** The one token of a snapshot; without fields if there are several. */
function assetOf({ tokens }: Fields): Fields {
  return fieldsOf(Array.isArray(tokens) && tokens.length === 1 ? tokens[0] : undefined);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function invalid(message: string): Refused {
  return new Refused('invalid_answer', message);
}
