import { createLogger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { IndexHalted } from './halted.ts';
import { WalkReporter } from './walk-reporter.ts';

const at = (number: number) => ({ from: 0, number, hash: '0x' });

let telemetry: Telemetry;
let logged: string[];
let now: number;
let reporter: WalkReporter;

beforeEach(() => {
  telemetry = createTelemetry('test');
  [logged, now] = [[], 1_000_000];
  const destination = {
    write(line: string) {
      const { level, msg } = JSON.parse(line) as { level: string; msg: string };
      logged.push(`${level}: ${msg.replace('token index of eth-mainnet', 'it')}`);
    },
  };
  const logger = createLogger({ name: 'test', level: 'info', destination });
  const meter = telemetry.meter('test');
  const about = { kind: 'token', prefix: 'test', network: 'eth-mainnet' };
  reporter = new WalkReporter({ ...about, meter, logger, clock: { now: () => now } });
});
afterEach(() => telemetry.stop());

/** The log since the last look. */
const said = (): string[] => logged.splice(0);
const apply = (from: number, to: number): void => reporter.applied(at(to), 3, { from, to });
const measured = async (name: string): Promise<string | undefined> =>
  new RegExp(`^test_${name}\\{.*\\} (\\S+)$`, 'm').exec(await telemetry.metricsText())?.[1];

it('much work has a line each ten seconds, and one at its end', () => {
  reporter.begin(null, 5_000, null);
  expect([reporter.status.state, said()]).toEqual(['indexing', ['info: it: indexing']]);
  apply(0, 99);
  expect(said()).toHaveLength(1);
  now += 9_999;
  apply(100, 199);
  expect(said()).toEqual([]);
  now += 1;
  apply(200, 299);
  expect(said()).toEqual([expect.stringMatching(/^info: it: indexing: block 299 of 5000; \d+ blocks\/s, /)]);
  expect(reporter.hasCaughtUp).toBe(false);
  reporter.caughtUp();
  expect(said()).toEqual(['info: it: all finalized blocks are in']);
  // The rate of another kind of work.
  expect(reporter.status).toMatchObject({ state: 'following', blocksPerSecond: 0 });
  expect(reporter.hasCaughtUp).toBe(true);
});

it('little work has none', () => {
  reporter.begin(at(4_000), 5_000, null);
  expect(said()).toEqual(['info: it: following']);
  apply(4_001, 5_000);
  reporter.caughtUp();
  reporter.begin(at(5_000), 5_001, null);
  expect(said()).toEqual([]);
});

it('a state, a fault and a late start are logged once, as long as they are the same', () => {
  for (let n = 0; n < 2; n++) reporter.report('standing by', 'another instance indexes');
  expect(said()).toEqual(['info: it: standing by: another instance indexes']);
  for (let n = 0; n < 2; n++) reporter.fail(new Error('no node'));
  expect(said()).toEqual(['warn: it: waiting']);
  reporter.fail(new Error('another fault'));
  for (let n = 0; n < 2; n++) reporter.fail(new IndexHalted('another fault'));
  expect(said()).toEqual(['warn: it: waiting', 'error: it: halted']);
  expect(reporter.status).toMatchObject({ state: 'halted', detail: 'another fault' });
  for (let n = 0; n < 2; n++) reporter.begin(null, 10, 7);
  const note = 'the index begins at block 7: no earlier one is in it yet';
  expect(said()).toEqual([`warn: ${note}`, 'info: it: following']);
  expect(reporter.status.detail).toBe(note);
  reporter.begin(null, 10, null);
  expect(reporter.status.detail).toBe('');
});

it('a fault that is retried is told until the next range is in', () => {
  reporter.begin(null, 10, null);
  reporter.retry(new Error('a node is busy'));
  expect(reporter.status.detail).toBe('a node is busy');
  apply(0, 4);
  expect(reporter.status.detail).toBe('');
});

it('measures what it reads, and nothing more once its walk has ended', async () => {
  expect(await measured('indexed_block')).toBeUndefined();
  reporter.begin(at(4), 20, null);
  apply(5, 9);
  reporter.retry(new Error('a node is busy'));
  reporter.fail(new Error('no node'));
  const names = ['indexed_block', 'finalized_block', 'indexed_blocks_total', 'indexed_logs_total'];
  const all = async () => Promise.all([...names, 'index_faults_total'].map(measured));
  expect(await all()).toEqual(['9', '20', '5', '3', '2']);
  reporter.close();
  expect(await all()).toEqual([undefined, undefined, '5', '3', '2']);
});
