import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { UsageFrame } from '../../src/usage/record.ts';
import { decodeFrame } from '../../src/usage/spool/frame.ts';
import { openSpool, type OpenSpool } from '../../src/usage/spool/open-spool.ts';
import type { SegmentReader } from '../../src/usage/spool/segment-reader.ts';

const clock = { now: () => Date.UTC(2026, 10, 21) };
const record = { projectId: 'p', day: '2026-11-21', endpoint: 'balance-single' };
let dataDir: string;
let logged: string[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hindsight-spool-'));
  logged = [];
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function open(maxBytes = 1_000_000, producer: string = randomUUID()): Promise<OpenSpool> {
  const logger = createLogger({
    name: 'test',
    level: 'info',
    destination: { write: (line) => logged.push(line) },
  });
  return openSpool({ dataDir, maxBytes, producer, clock, logger });
}

/** A producer of a process that has died: its files without its lock. */
async function deadProducer(count: number): Promise<string> {
  const spool = await open();
  for (let i = 0; i < count; i++) {
    await spool.writer.record(record);
    spool.writer.seal();
  }
  await spool.writer.close();
  const [file = ''] = readdirSync(join(dataDir, 'usage-spool', spool.own.producer)).filter((name) =>
    name.endsWith('.log'),
  );
  const bytes = readFileSync(join(dataDir, 'usage-spool', spool.own.producer, file));
  await spool.own.remove();
  const producer = randomUUID();
  await (await open(1, producer)).own.remove();
  mkdirSync(join(dataDir, 'usage-spool', producer), { recursive: true });
  const path = join(dataDir, 'usage-spool', producer, '00000001.log');
  writeFileSync(path, bytes);
  return path;
}

/** The descriptor by which this process has a file open. */
function descriptorOf(ino: number): number {
  for (let fd = 3; fd < 1_000; fd++) {
    try {
      if (fstatSync(fd).ino === ino) return fd;
    } catch {
      // None.
    }
  }
  throw new Error('the file is not open');
}

async function readAll(producer: SegmentReader): Promise<UsageFrame[]> {
  const all: UsageFrame[] = [];
  for (;;) {
    const frames = await producer.next(2);
    if (frames.length === 0) return all;
    all.push(...frames);
    await producer.drop();
  }
}

const requestsOf = (frames: readonly UsageFrame[]): number =>
  frames.flatMap(({ entries }) => entries).reduce((sum, { requests }) => sum + requests, 0);

describe('the usage spool', () => {
  it('folds records into one frame until it is sealed, and numbers the frames', async () => {
    const spool = await open();
    await Promise.all(Array.from({ length: 20 }, () => spool.writer.record(record)));
    await spool.writer.record({ ...record, projectId: 'q' });
    await spool.writer.record(record);
    expect(await spool.own.next(10)).toEqual([]);
    spool.writer.seal();
    await spool.writer.record(record);
    const at = clock.now();
    const first = [
      { ...record, requests: 21 },
      { ...record, projectId: 'q', requests: 1 },
    ];
    expect(await readAll(spool.own)).toEqual([{ sequence: 1, at, entries: first }]);
    spool.writer.seal();
    const second = [{ ...record, requests: 1 }];
    expect(await readAll(spool.own)).toEqual([{ sequence: 2, at, entries: second }]);
    await spool.writer.close();
    await spool.own.remove();
  });

  it('keeps what requests cost, and reads what earlier versions wrote, which cost one unit each', async () => {
    const spool = await open();
    await spool.writer.record(record, 7);
    await Promise.all([
      spool.writer.record(record),
      spool.writer.record(record, 30, 0),
      spool.writer.record({ ...record, endpoint: 'balance-batch' }),
    ]);
    await spool.writer.record({ ...record, endpoint: 'balance-snapshot' }, 5, 0);
    await spool.writer.close();
    const entries = (await readAll(spool.own)).flatMap((frame) => frame.entries);
    expect(entries).toEqual([
      { ...record, requests: 2, units: 38 },
      { ...record, endpoint: 'balance-batch', requests: 1 },
      { ...record, endpoint: 'balance-snapshot', requests: 0, units: 5 },
    ]);
    await spool.own.remove();
    const before = '[3,0,[["p","2026-11-21","balance-single",4]]]';
    expect(decodeFrame(`${crc32(before).toString(16).padStart(8, '0')} ${before}`)).toEqual({
      sequence: 3,
      at: 0,
      entries: [{ ...record, requests: 4 }],
    });
  });

  it('keeps statuses and keys apart, and reads entries without them', async () => {
    const spool = await open();
    const [ok, missing] = [
      { ...record, status: 200, key: 'k1' },
      { ...record, status: 404 },
    ];
    await Promise.all([ok, missing, ok, record].map((one) => spool.writer.record(one)));
    await spool.writer.record({ ...ok, key: 'k2' }, 7);
    await spool.writer.record(ok);
    await spool.writer.record({ ...record, key: 'k1' });
    await spool.writer.close();
    expect((await readAll(spool.own)).flatMap((frame) => frame.entries)).toEqual([
      { ...ok, requests: 3 },
      { ...missing, requests: 1 },
      { ...record, requests: 1 },
      { ...ok, key: 'k2', requests: 1, units: 7 },
      { ...record, key: 'k1', requests: 1 },
    ]);
    await spool.own.remove();
  });

  it('returns every record once, in frames of bounded size, however writing and sealing interleave', async () => {
    const spool = await open();
    const given: UsageFrame[] = [];
    const written: Promise<void>[] = [];
    for (let i = 0; i < 3_000; i++) {
      written.push(spool.writer.record({ ...record, projectId: `p${i % 1_200}` }));
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (i % 70 === 0) spool.writer.seal();
      if (i % 300 === 0) given.push(...(await readAll(spool.own)));
    }
    await Promise.all(written);
    await spool.writer.close();
    given.push(...(await readAll(spool.own)));
    expect(requestsOf(given)).toBe(3_000);
    const sequences = given.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    expect(Math.max(...given.map(({ entries }) => entries.length))).toBeLessThanOrEqual(500);
    await spool.own.remove();
  });

  it('returns again what was not dropped', async () => {
    const spool = await open();
    await spool.writer.record(record);
    spool.writer.seal();
    expect(await spool.own.next(10)).toHaveLength(1);
    expect(await spool.own.next(10)).toEqual(await spool.own.next(10));
    await spool.own.drop();
    expect(await spool.own.next(10)).toEqual([]);
    await spool.writer.close();
    await spool.own.remove();
  });

  it('has its name only once it is locked: until then another gateway could take it over', async () => {
    const root = join(dataDir, 'usage-spool');
    mkdirSync(root);
    const named = (): string | undefined => readdirSync(root).find((name) => !name.startsWith('.'));
    const opening = open();
    let name: string | undefined;
    // While this loops, what makes the folder can end, and what follows it cannot begin.
    for (; name === undefined; await nextTurn())
      for (const end = performance.now() + 50; name === undefined && performance.now() < end;) name = named();
    const other = new DatabaseSync(join(root, name, 'lock.db'));
    expect(() => other.exec('BEGIN EXCLUSIVE')).toThrow('locked');
    other.close();
    const spool = await opening;
    await spool.writer.close();
    await spool.own.remove();
    expect(readdirSync(root)).toEqual([]);
  });

  it('opens while that of another process gets its name', async () => {
    const first = await open();
    // It is listed, and gone once it is asked for, as one that is renamed in between.
    symlinkSync('gone', join(dataDir, 'usage-spool', `.new-${randomUUID()}`));
    const second = await open();
    await second.writer.record(record);
    expect(logged).toEqual([]);
    await Promise.all([first.writer.close(), second.writer.close()]);
  });

  it('finds the usage of a dead process, and leaves that of a live one alone', async () => {
    await deadProducer(5);
    const living = await open();
    await living.writer.record(record);
    const [producer, ...others] = await living.orphans();
    expect(others).toEqual([]);
    expect(requestsOf(await readAll(producer!))).toBe(5);
    await producer!.remove();
    expect(await living.orphans()).toEqual([]);
    await living.writer.close();
    await living.own.remove();
  });

  it('tolerates a torn end and logs it', async () => {
    appendFileSync(await deadProducer(3), '0badcafe [4,17');
    const spool = await open();
    const [producer] = await spool.orphans();
    expect(requestsOf(await readAll(producer!))).toBe(3);
    expect(logged.join('')).toContain('cut off by a crash');
    await producer!.remove();
    await spool.writer.close();
    await spool.own.remove();
  });

  it('skips a damaged line, logs an error, and continues after it', async () => {
    const path = await deadProducer(3);
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, [lines[0], lines[1]!.replace('balance', 'bolance'), lines[2], ''].join('\n'));
    const spool = await open();
    const [producer] = await spool.orphans();
    expect((await readAll(producer!)).map(({ sequence }) => sequence)).toEqual([1, 3]);
    expect(logged.join('')).toMatch(/"level":"error".*damaged/);
    await producer!.remove();
    await spool.writer.close();
    await spool.own.remove();
  });

  it('refuses records when it is full, and accepts them again once its contents are sent', async () => {
    const spool = await open(100);
    await spool.writer.record(record);
    await spool.writer.record(record);
    expect(spool.writer.accepting).toBe(false);
    await expect(spool.writer.record(record)).rejects.toThrow('spool is full');
    await expect(spool.writer.check()).rejects.toThrow('full');
    await spool.writer.endSegment();
    expect(requestsOf(await readAll(spool.own))).toBe(2);
    expect([spool.waitingBytes(), spool.writer.accepting]).toEqual([0, true]);
    expect(await spool.writer.check()).toBe('writable');
    await spool.writer.close();
    await spool.own.remove();
  });

  it('says that it cannot be written from the first failed write until one works, asked for or tried', async () => {
    const spool = await open();
    const folder = join(dataDir, 'usage-spool', spool.own.producer);
    const later = jest.spyOn(performance, 'now');
    const fail = async (): Promise<void> => {
      renameSync(folder, `${folder}-elsewhere`);
      await expect(spool.writer.record(record)).rejects.toThrow('cannot be written');
      expect(spool.writer.accepting).toBe(false);
    };
    expect(await spool.writer.check()).toBe('writable');
    await fail();
    await expect(spool.writer.check()).rejects.toThrow('cannot be written');
    // The next record would be tried.
    later.mockReturnValue(performance.now() + 60_000);
    expect(spool.writer.accepting).toBe(true);
    await expect(spool.writer.check()).rejects.toThrow('cannot be written');
    renameSync(`${folder}-elsewhere`, folder);
    expect(await spool.writer.check()).toBe('writable');
    expect(readdirSync(folder)).not.toContain('room');
    later.mockRestore();

    await fail();
    renameSync(`${folder}-elsewhere`, folder);
    expect(await spool.writer.check()).toBe('writable');
    expect(spool.writer.accepting).toBe(true);
    await spool.writer.record(record);
    await spool.writer.close();
    expect(requestsOf(await readAll(spool.own))).toBe(1);
    await spool.own.remove();
  });

  it('has what it wrote, though a segment cannot be closed', async () => {
    const spool = await open();
    await spool.writer.record(record);
    const { ino } = statSync(join(dataDir, 'usage-spool', spool.own.producer, '00000001.log'));
    closeSync(descriptorOf(ino));
    await spool.writer.endSegment();
    expect(logged.join('')).toContain('EBADF');
    await spool.writer.record(record);
    await spool.writer.close();
    expect(requestsOf(await readAll(spool.own))).toBe(2);
    await spool.own.remove();
  });

  it('counts the usage of former instances from the start until it is removed', async () => {
    const path = await deadProducer(3);
    const { size } = statSync(path);
    const spool = await open(size);
    expect([spool.waitingBytes(), spool.writer.waitingBytes, spool.writer.accepting]).toEqual([
      size,
      0,
      false,
    ]);
    const [producer] = await spool.orphans();
    // Left and found again, it counts once.
    producer!.release();
    const [again] = await spool.orphans();
    expect(spool.waitingBytes()).toBe(size);
    expect(requestsOf(await readAll(again!))).toBe(3);
    expect([spool.waitingBytes(), spool.writer.accepting]).toEqual([0, true]);
    await again!.remove();
    await spool.writer.close();
    await spool.own.remove();
  });

  it('stops counting it once another process has removed it', async () => {
    const path = await deadProducer(3);
    const spool = await open();
    const [producer] = await spool.orphans();
    producer!.release();
    rmSync(dirname(path), { recursive: true });
    expect(await spool.orphans()).toEqual([]);
    expect(spool.waitingBytes()).toBe(0);
    await spool.writer.close();
    await spool.own.remove();
  });

  it('removes a producer that previously could not be removed', async () => {
    const spool = await open();
    await spool.writer.close();
    const root = join(dataDir, 'usage-spool');
    renameSync(root, `${root}-elsewhere`);
    writeFileSync(root, '');
    await expect(spool.own.remove()).rejects.toThrow('ENOTDIR');
    rmSync(root);
    renameSync(`${root}-elsewhere`, root);
    await spool.own.remove();
    expect(readdirSync(root)).toEqual([]);
  });
});
