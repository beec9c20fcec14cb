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
  writeSync,
} from 'node:fs';
import { UsageError } from './exit-codes.ts';

/** Parameters that must be the same when a snapshot continues. */
export interface SnapshotNote {
  readonly tokens: readonly string[];
  readonly block_hash: string;
  readonly block: number;
}

const NEWLINE = 0x0a;
/** Lines before the rows: the block, and the names of the columns. */
const HEAD_LINES = 2;

export class SnapshotFile {
  /** Rows that are in the file. */
  readonly rows: number;
  /** The note of an earlier run; undefined for a new file. */
  readonly note: SnapshotNote | undefined;
  readonly #path: string;
  #file: number | undefined;

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
   * @throws {UsageError} if the file exists and is complete or is not to be continued
   */
  static async open(path: string, resume: boolean): Promise<SnapshotFile> {
    if (!existsSync(path)) return new SnapshotFile(path);
    if (!resume) throw new UsageError(`${path} exists; use --resume to continue it, or remove it`);
    if (!existsSync(notePath(path))) {
      throw new UsageError(`${path} is complete`);
    }
    const note = JSON.parse(readFileSync(notePath(path), 'utf8')) as SnapshotNote;
    const { lines, bytes } = await completeLines(path);
    const file = openSync(path, 'r+');
    // The interruption may have left half a line.
    ftruncateSync(file, bytes);
    closeSync(file);
    return new SnapshotFile(path, { file: openSync(path, 'a'), rows: Math.max(lines - HEAD_LINES, 0), note });
  }

  /** Makes the file, and notes the block and the tokens of its rows; called before the first row. @param header names of the columns */
  begin(note: SnapshotNote, header: string): void {
    writeFileSync(notePath(this.#path), JSON.stringify(note));
    this.#file = openSync(this.#path, 'w');
    this.write(`# block ${note.block}, ${note.block_hash}\n${header}\n`);
  }

  /** @throws {Error} before the file has begun */
  write(lines: string): void {
    if (this.#file === undefined) throw new Error(`${this.#path} has not begun`);
    writeSync(this.#file, lines);
  }

  /** All rows are in. */
  complete(): void {
    if (this.#file === undefined) throw new Error(`${this.#path} has not begun`);
    fsyncSync(this.#file);
    closeSync(this.#file);
    rmSync(notePath(this.#path), { force: true });
  }
}

function notePath(path: string): string {
  return `${path}.resume`;
}

async function completeLines(path: string): Promise<{ lines: number; bytes: number }> {
  let lines = 0;
  let bytes = 0;
  let read = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
      lines += 1;
      bytes = read + at + 1;
    }
    read += chunk.length;
  }
  return { lines, bytes };
}
