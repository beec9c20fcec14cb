/** A gateway is killed on a full disk: the next one sends its usage, and answers again once there is room. */
import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskFault } from '../../src/usage/spool/disk-fault.ts';

const CHILD = join(import.meta.dirname, 'full-disk.child.ts');
const WITHIN_MS = 600_000;
/** A small disk in a new namespace: it vanishes with its processes. */
const NAMESPACE = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
const MOUNT = 'mount -t tmpfs -o "$1" small "$2" && shift && folder=$1 && shift && exec "$@"';

/** Runs the instances on a disk of this size. @returns their output */
function runOn(size: string, full: 'bytes' | 'files'): Record<string, unknown>[] {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-full-disk-'));
  try {
    const child = [process.execPath, CHILD, 'begin', folder, full];
    const { stdout, stderr, status } = spawnSync(
      'unshare',
      [...NAMESPACE, 'sh', '-c', MOUNT, 'sh', size, folder, ...child],
      { encoding: 'utf8', timeout: WITHIN_MS },
    );
    // Fails, with the reason, where namespaces are forbidden.
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it.each([
  ['no room for a byte', 'size=256k', 'bytes', 'usage cannot be written to disk'],
  [
    'no room for a file',
    'size=16m,nr_inodes=40',
    'files',
    'usage cannot be written to disk; requests that count get 503 until it can',
  ],
] as const)(
  'on a disk with %s it says so, sends what a former instance left, and goes on by itself',
  (_what, size, full, message) => {
    const seen = runOn(size, full);
    expect(seen).toContainEqual({ filled: 'ENOSPC' });
    expect(seen).toContainEqual(
      expect.objectContaining({ msg: message, code: 'ENOSPC', remedy: expect.stringContaining('make room') }),
    );
    expect(seen).toContainEqual({ unready: 'cannot be written' });
    expect(seen.find((line) => 'drained' in line)).toEqual({
      refused: expect.stringMatching(/^the usage spool (cannot be written|is full)$/),
      drained: [[3]],
      left: [],
    });
    expect(seen).toContainEqual({ recorded: true });
    expect(seen).toContainEqual({ orphans: 1, accepting: true });
    expect(JSON.stringify(seen)).not.toContain('belongs to another process');
  },
);

it.each([
  [{ code: 'ENOSPC' }, 'ENOSPC'],
  [{ code: 'EDQUOT' }, 'EDQUOT'],
  [{ code: 'EIO' }, 'EIO'],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, 'ENOSPC'],
  // SQLITE_IOERR_WRITE: the low byte is the primary code.
  [{ code: 'ERR_SQLITE_ERROR', errcode: 778 }, 'EIO'],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 5 }, undefined],
  [{ code: 'EACCES' }, undefined],
  [{}, undefined],
])('takes %j for the fault %s of the disk', (error, code) => {
  expect(diskFault(Object.assign(new Error('of the disk'), error))?.code).toBe(code);
});
