/**
 * The file of a snapshot. Its first line names the block. Until it is complete, a second file notes that block, so that an
 * interrupted snapshot continues at the row where it stopped, at the same block. Neither is there before the first answer:
 * a question that was refused leaves nothing.
 */
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { InvalidAnswer, type Client, type When } from '@hindsight/client';
import { UsageError } from './exit-codes.ts';

/** Parameters that must be the same when a snapshot continues. */
export interface SnapshotNote {
  readonly tokens: readonly string[];
  readonly block_hash: string;
  readonly block: number;
  /** The first block of the index that named the rows, where one did. */
  readonly from_block?: number;
  /** The hash of the list of holders, where there is one. */
  readonly holders?: string;
}

/**
 * Refuses to go on with a file for another block than the one it was begun at.
 * @param when names no block where none was asked for
 * @throws {UsageError}
 */
export async function refuseOtherBlock(
  client: Client,
  path: string,
  { block, block_hash: hash }: SnapshotNote,
  when: When & { readonly signal: AbortSignal },
): Promise<void> {
  const { block: height, date, blockHash } = when;
  if (height === undefined && date === undefined && blockHash === undefined) return;
  const { block_hash: asked } = await client.block(when);
  if (asked !== hash)
    throw new UsageError(`${path} is about block ${block}, ${hash}, and --at about ${asked}`);
}

/** Lines that are written at a time. */
const LINES_AT_ONCE = 200;
const NEWLINE = 0x0a;
/** Lines of CSV before the rows: the block, and the names of the columns. */
const HEAD_LINES = 2;
/** The first byte of each of the server's records; a file of CSV begins with `#`. */
const BRACE = 0x7b;
/** The beginning of a line of the server's records that is a row. */
const ROW_RECORD = /^\{"record":"(?:balance|error)"/;
const LONGEST_BEGINNING = 24;

export class SnapshotFile {
  /** Rows that are in the file. */
  readonly rows: number;
  /** The note of an earlier run; undefined for a new file. */
  readonly note: SnapshotNote | undefined;
  readonly #path: string;
  #file: number | undefined;
  #waiting: string[] = [];

  private constructor(
    path: string,
    { file, rows = 0, note }: { file?: number; rows?: number; note?: SnapshotNote } = {},
  ) {
    this.#path = path;
    this.#file = file;
    this.rows = rows;
    this.note = note;
  }

  /**
   * Finds out how far a file is.
   * @param resume true if it may be continued
   * @param hasProofs true if its lines are the server's records, in place of CSV
   * @throws {UsageError} if the file exists and is complete, is not to be continued, or has lines of the other kind
   */
  static async open(path: string, resume: boolean, hasProofs = false): Promise<SnapshotFile> {
    if (!existsSync(path)) return new SnapshotFile(path);
    if (!resume) throw new UsageError(`${path} exists; use --resume to continue it, or remove it`);
    if (!existsSync(notePath(path))) {
      throw new UsageError(`${path} is complete`);
    }
    const note = readNote(path);
    const { lines, records, bytes, recordBytes, first } = await completeLines(path);
    if (lines > 0 && (first === BRACE) !== hasProofs)
      throw new UsageError(`${path} was begun ${hasProofs ? 'without' : 'with'} --proof`);
    // It was interrupted before its head was whole.
    if (!hasProofs && lines < HEAD_LINES) return new SnapshotFile(path);
    const rows = hasProofs ? records : lines - HEAD_LINES;
    const file = openSync(path, 'r+');
    // The interruption may have left half a line.
    ftruncateSync(file, hasProofs ? recordBytes : bytes);
    closeSync(file);
    return new SnapshotFile(path, { file: openSync(path, 'a'), rows, note });
  }

  /**
   * Makes the file, and notes the block and the tokens of its rows; called before the first row.
   * @param header names of the columns; undefined where the lines are the server's records
   */
  begin(note: SnapshotNote, header: string | undefined): void {
    // Without it, rows that a power cut has left could not be continued.
    writeFileSync(notePath(this.#path), JSON.stringify(note), { flush: true });
    this.#file = openSync(this.#path, 'w');
    if (header !== undefined) this.#waiting.push(`# block ${note.block}, ${note.block_hash}`, header);
    this.flush();
  }

  /** Adds a line. @throws {Error} before the file has begun */
  add(line: string): void {
    this.#waiting.push(line);
    if (this.#waiting.length >= LINES_AT_ONCE) this.flush();
  }

  /** Writes the lines that wait. @throws {Error} before the file has begun */
  flush(): void {
    if (this.#waiting.length === 0) return;
    if (this.#file === undefined) throw new Error(`${this.#path} has not begun`);
    const lines = this.#waiting;
    // Lines that a full disk took in part are not written again.
    this.#waiting = [];
    // Unlike `writeSync`, it writes all, or throws.
    writeFileSync(this.#file, `${lines.join('\n')}\n`);
  }

  /** Refuses to be continued where an answer contradicted itself: its rows are in the file, and may be wrong. */
  failedBy(error: unknown): void {
    // One with a cause is of a text that is not the API's: it cut the answer, as a lost connection does.
    if (error instanceof InvalidAnswer && error.cause === undefined && this.#file !== undefined)
      writeFileSync(notePath(this.#path), JSON.stringify({ fault: error.message }));
  }

  complete(): void {
    if (this.#file === undefined) throw new Error(`${this.#path} has not begun`);
    fsyncSync(this.#file);
    closeSync(this.#file);
    rmSync(notePath(this.#path), { force: true });
  }
}

/** The note of a file, which is there until the file is complete. */
export function notePath(path: string): string {
  return `${path}.resume`;
}

/** @throws {UsageError} for a note that was emptied, or is another program's */
function readNote(path: string): SnapshotNote {
  let note: (Partial<SnapshotNote> & { readonly fault?: string }) | null | undefined;
  try {
    note = JSON.parse(readFileSync(notePath(path), 'utf8')) as typeof note;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (Array.isArray(note?.tokens) && typeof note.block_hash === 'string' && Number.isInteger(note.block))
    return note as SnapshotNote;
  const why = note?.fault
    ? `says that an answer was wrong (${note.fault})`
    : `does not say how ${path} was begun`;
  throw new UsageError(`${notePath(path)} ${why}: remove both, and begin again`);
}

/** The complete lines of a file. */
interface Lines {
  lines: number;
  /** Those that are rows of the server's records; not one at the end, which is asked for again: its part has no end. */
  records: number;
  /** Of all complete lines. */
  bytes: number;
  /** The same without such a row. */
  recordBytes: number;
  /** The first byte of the file. */
  first: number | undefined;
}

async function completeLines(path: string): Promise<Lines> {
  const found: Lines = { lines: 0, records: 0, bytes: 0, recordBytes: 0, first: undefined };
  let [read, rows] = [0, 0];
  let beginning = '';
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    found.first ??= chunk[0];
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const isRow = ROW_RECORD.test(beginning + chunk.toString('latin1', from, at));
      [beginning, from] = ['', at + 1];
      found.lines += 1;
      found.records = rows;
      found.recordBytes = isRow ? found.bytes : read + from;
      found.bytes = read + from;
      if (isRow) rows += 1;
    }
    beginning = (beginning + chunk.toString('latin1', from)).slice(0, LONGEST_BEGINNING);
    read += chunk.length;
  }
  return found;
}
