/** Plants a fault in a file of the working tree, and takes it out again. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Fault } from './faults.ts';

const run = promisify(execFile);

/** The repository's root, to which the paths of faults belong. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** The file's text with the fault in it. @throws RangeError unless the fault's text occurs exactly once. */
export function withFault(text: string, { file, from, to }: Fault): string {
  const at = text.indexOf(from);
  if (at === -1) throw new RangeError(`${file} has no ${JSON.stringify(from)}`);
  if (text.includes(from, at + 1)) throw new RangeError(`${file} has ${JSON.stringify(from)} more than once`);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

/**
 * Runs `work` while the fault is in place.
 * @throws Error where the file has uncommitted changes: after a kill, `git checkout` of the file must be safe.
 */
export async function whilePlanted<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
  const path = join(ROOT, fault.file);
  const { stdout } = await run('git', ['status', '--porcelain', '--', fault.file], { cwd: ROOT });
  if (stdout.trim() !== '') throw new Error(`${fault.file} has uncommitted changes; commit them first`);
  const before = await readFile(path, 'utf8');
  const planted = withFault(before, fault);
  try {
    await writeFile(path, planted);
    return await work();
  } finally {
    await writeFile(path, before);
  }
}
