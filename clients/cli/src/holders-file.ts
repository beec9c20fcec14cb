/** Holders in a file: one a line, or the first column of CSV. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { UsageError } from './exit-codes.ts';

/**
 * The holders of a text, line by line. A byte order mark, blank lines, and a first line that is neither an
 * address nor a name (a header) are skipped.
 * @throws {UsageError} if it cannot be read
 */
export async function* readHolders(input: Readable): AsyncGenerator<string, void> {
  let first = true;
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const cell = firstCell(first ? line.replace(/^\ufeff/, '') : line);
      if (cell === '') continue;
      const header = first && !cell.startsWith('0x') && !cell.includes('.');
      first = false;
      if (!header) yield cell;
    }
  } catch (error) {
    throw new UsageError(`the file of addresses cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Number of holders in a file, and a hash that no other list has. @throws {UsageError} if it cannot be read */
export async function countHolders(path: string): Promise<{ readonly count: number; readonly hash: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const holder of readHolders(createReadStream(path))) {
    count += 1;
    hash.update(`${holder}\n`);
  }
  return { count, hash: hash.digest('hex') };
}

function firstCell(line: string): string {
  const text = line.trim();
  if (!text.startsWith('"')) return (text.split(/[,;\t]/, 1)[0] ?? '').trim();
  const end = text.indexOf('"', 1);
  return end < 0 ? text : text.slice(1, end).trim();
}
