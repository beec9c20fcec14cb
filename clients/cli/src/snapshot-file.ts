/**
 * The file of a snapshot. Until it is complete, a second file notes its block, so that an interrupted
 * snapshot continues at the row where it stopped, at the same block.
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

export class SnapshotFile {
  /** Rows that are in the file. */
  readonly rows: number;
  /** The note of an earlier run; undefined for a new file. */
  readonly note: SnapshotNote | undefined;
  readonly #path: string;
  readonly #file: number;

  private constructor(path: string, file: number, rows: number, note: SnapshotNote | undefined) {
    this.#path = path;
    this.#file = file;
    this.rows = rows;
    this.note = note;
  }

  /**
   * Opens a file to write to.
   * @param header its first line
   * @throws {UsageError} if the file exists and is complete or is not to be continued
   */
  static async open(path: string, header: string, resume: boolean): Promise<SnapshotFile> {
    if (!existsSync(path)) return SnapshotFile.#begin(path, header);
    if (!resume) throw new UsageError(`${path} exists; use --resume to continue it, or remove it`);
    if (!existsSync(notePath(path))) {
      const { lines } = await completeLines(path);
      // The interruption came before the first answer, so no block was noted.
      if (lines <= 1) return SnapshotFile.#begin(path, header);
      throw new UsageError(`${path} is complete`);
    }
    const note = JSON.parse(readFileSync(notePath(path), 'utf8')) as SnapshotNote;
    const { lines, bytes } = await completeLines(path);
    const file = openSync(path, 'r+');
    // The interruption may have left half a line.
    ftruncateSync(file, bytes);
    closeSync(file);
    return new SnapshotFile(path, openSync(path, 'a'), Math.max(lines - 1, 0), note);
  }

  static #begin(path: string, header: string): SnapshotFile {
    const file = openSync(path, 'w');
    writeSync(file, `${header}\n`);
    return new SnapshotFile(path, file, 0, undefined);
  }

  /** Notes the block and the tokens of the rows; called before the first row. */
  begin(note: SnapshotNote): void {
    writeFileSync(notePath(this.#path), JSON.stringify(note));
  }

  write(lines: string): void {
    writeSync(this.#file, lines);
  }

  /** All rows are in. */
  complete(): void {
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
