import { open, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Context } from './context.ts';
import { UsageError } from './exit-codes.ts';

/**
 * Opens the input of a command: a file, or standard input where none is named, or `-`. Ctrl-C ends it, which may otherwise
 * never end.
 * @throws {UsageError} if the file cannot be opened
 */
export async function openInput({ stdin, signal }: Context, file: string | undefined): Promise<Readable> {
  if (isStdin(file)) return addAbortSignal(signal, stdin);
  try {
    // Opening one would work, and reading it fail later.
    if ((await stat(file)).isDirectory()) throw new Error('it is a folder');
    return addAbortSignal(signal, (await open(file)).createReadStream());
  } catch (error) {
    throw new UsageError(`the file cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** True for an input that can be read only once. */
export function isStdin(file: string | undefined): file is undefined | '-' {
  return file === undefined || file === '-';
}
