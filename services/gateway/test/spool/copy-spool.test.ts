import { expect, it } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { copySpool } from '../../src/usage/spool/copy-spool.ts';
import { openSpool } from '../../src/usage/spool/open-spool.ts';

const clock = { now: () => Date.UTC(2026, 10, 21) };
const logger = createLogger({ name: 'test', level: 'silent' });
const open = (dataDir: string) =>
  openSpool({ dataDir, maxBytes: 1_000_000, producer: randomUUID(), clock, logger });

it('copies every producer as files: an object store keeps no folder that has none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-copied-spool-'));
  const [from, copy, restored] = ['from', 'copy', 'restored'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  try {
    const busy = await open(from);
    await busy.writer.record({ projectId: 'p', day: '2026-11-21', endpoint: 'balance-single' }, 7);
    const idle = await open(from);
    // Of a process that was killed while it made it.
    mkdirSync(join(from, 'usage-spool', `.new-${randomUUID()}`));
    const files = await copySpool(from, copy);
    for (const spool of [busy, idle]) {
      await spool.writer.close();
      await spool.own.remove();
    }
    for (const file of files) {
      mkdirSync(dirname(join(restored, file)), { recursive: true });
      copyFileSync(join(copy, file), join(restored, file));
    }
    const after = await open(restored);
    const found = await Promise.all(
      (await after.orphans()).map(async (former) => {
        const frames = await former.next(10);
        former.release();
        return [former.producer, frames.flatMap(({ entries }) => entries.map(({ units }) => units))];
      }),
    );
    expect(Object.fromEntries(found)).toEqual({ [busy.own.producer]: [7], [idle.own.producer]: [] });
    // A copy of what was restored has no file twice.
    const again = await copySpool(restored, join(folder, 'again'));
    expect(again).toEqual([...new Set(again)]);
    await after.own.remove();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('fails where a segment that is there cannot be copied', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-copied-spool-'));
  const segment = join('usage-spool', randomUUID(), '00000001.log');
  mkdirSync(dirname(join(folder, segment)), { recursive: true });
  writeFileSync(join(folder, segment), '');
  // A folder is in its place.
  mkdirSync(join(folder, 'copy', segment), { recursive: true });
  await expect(copySpool(folder, join(folder, 'copy'))).rejects.toThrow('EISDIR');
  rmSync(folder, { recursive: true });
});
