/** Holders in a file: one a line, or the first column of CSV. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { UsageError } from './exit-codes.ts';

/** An address, also one without its `0x` or with another fault, or a name: a first line of any other kind is a header. */
const HOLDER = /^0x|^[0-9a-f]{40}$|\./i;

/**
 * The holders of a text, line by line. A byte order mark, blank lines, the block that our own files begin with (`# block …`),
 * and a header are skipped.
 * @throws {UsageError} if it cannot be read
 */
export async function* readHolders(input: Readable): AsyncGenerator<string, void> {
  let first = true;
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const cell = firstCell(first ? line.replace(/^\ufeff/, '') : line);
      if (cell === '' || (first && cell.startsWith('# block '))) continue;
      const isHeader = first && !HOLDER.test(cell);
      first = false;
      if (!isHeader) yield cell;
    }
  } catch (error) {
    throw new UsageError(`the file of addresses cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Number of holders in a file, and a hash that no other list has. */
interface Counted {
  readonly count: number;
  readonly hash: string;
}

/** @throws {UsageError} if the file cannot be read */
export async function countHolders(path: string): Promise<Counted> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const holder of readHolders(createReadStream(path))) {
    count += 1;
    hash.update(`${holder}\n`);
  }
  return { count, hash: hash.digest('hex') };
}

/**
 * The holders of a file that was counted, after the first ones.
 * @throws {UsageError} at the end of a file that has others by then: it was written to, or is a pipe
 */
export async function* readCounted(path: string, { hash: counted }: Counted, done: number) {
  const hash = createHash('sha256');
  let at = 0;
  for await (const holder of readHolders(createReadStream(path))) {
    hash.update(`${holder}\n`);
    if (at++ >= done) yield holder;
  }
  if (hash.digest('hex') !== counted)
    throw new UsageError(
      `${path} has other holders than when they were counted: expected a file that does not change`,
    );
}

function firstCell(line: string): string {
  const text = line.trim();
  if (!text.startsWith('"')) return (text.split(/[,;\t]/, 1)[0] ?? '').trim();
  const end = text.indexOf('"', 1);
  return end < 0 ? text : text.slice(1, end).trim();
}
