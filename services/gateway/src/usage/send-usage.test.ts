/** Usage that former instances left on disk reaches the bus. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFrame } from './spool/frame.ts';
import { openSpool } from './spool/open-spool.ts';
import { UsageSender } from './send-usage.ts';

const clock = { now: () => Date.UTC(2026, 10, 21) };
const entry = { projectId: 'p', day: '2026-11-21', endpoint: 'balance-single', requests: 1 };
let dataDir: string;
let sender: UsageSender;
/** `<producer>:<sequence>`, or `<producer>:closed`. */
let published: string[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hindsight-sender-'));
  published = [];
});

afterEach(async () => {
  await sender.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const spool = await openSpool({ dataDir, maxBytes: 1_000_000, producer: randomUUID(), clock, logger });
  const publish = async (_topic: string, events: readonly { id: string }[]): Promise<void> =>
    void published.push(...events.map(({ id }) => id));
  sender = new UsageSender({ spool, bus: { publish }, clock, logger, lookForOrphansMs: 50 });
  sender.start();
}

const folderOf = (producer: string): string => join(dataDir, 'usage-spool', producer);
const segmentOf = (producer: string): string => join(folderOf(producer), '00000001.log');
/** A producer whose process has died. */
function deadProducer(first: string): string {
  const producer = first + randomUUID().slice(1);
  mkdirSync(folderOf(producer), { recursive: true });
  return producer;
}

describe('usage of former instances', () => {
  it('is sent although a part of it cannot be read, and the rest once it can', async () => {
    // Producers are taken in the order of their names.
    const [bad, good] = [deadProducer('0'), deadProducer('f')];
    const segment = encodeFrame({ sequence: 1, at: clock.now(), entries: [entry] });
    // A folder cannot be read as a file.
    symlinkSync(dataDir, segmentOf(bad));
    writeFileSync(segmentOf(good), segment);
    await start();
    await until('the good producer is removed', () => !existsSync(folderOf(good)));
    expect(published).toEqual([`${good}:1`, `${good}:closed`]);
    writeFileSync(join(dataDir, 'mended'), segment);
    // In one step: a producer without segments has ended.
    renameSync(join(dataDir, 'mended'), segmentOf(bad));
    await until('the other is removed', () => !existsSync(folderOf(bad)));
    expect(published.slice(2)).toEqual([`${bad}:1`, `${bad}:closed`]);
  });
});
