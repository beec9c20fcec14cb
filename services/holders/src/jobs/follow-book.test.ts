import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { systemClock as clock } from '@hindsight/kernel/clock.ts';
import { randomIds as ids } from '@hindsight/kernel/ids.ts';
import type { Job } from '@hindsight/kernel/job.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteTrackBook } from '../adapters/sqlite-track-book.ts';
import { MAX_TOKENS } from '../domain/tracks.ts';
import type { HolderIndex, TrackBook, TrackReport, TrackWish } from '../ports.ts';
import { STATUS } from '@hindsight/indexing/test/support/status.ts';
import { partOf } from '../domain/track-parts.ts';
import { Walks } from '../walks.ts';
import { followBook } from './follow-book.ts';

const logger = createLogger({ name: 'follow-book', level: 'silent' });
const trackAt = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`;

let folder: string;
let lifecycle: Lifecycle;
let book: TrackBook;
/** Rounds that have ended. */
let rounds: number;
let walks: Walks;
let removed: string[];
let job: Job;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'follow-book-'));
  lifecycle = createLifecycle(logger);
  book = openSqliteTrackBook(join(folder, 'book.db'), lifecycle);
  [rounds, removed] = [0, []];
  // Another instance has all leases.
  const index = {
    claim: async () => false,
    release: async () => undefined,
    position: async () => null,
    remove: async (track: string) => void removed.push(track),
  } as unknown as HolderIndex;
  const [node, telemetry] = [{} as EthereumNode, createTelemetry('holders')];
  const of = { index, clock, ids, logger };
  walks = new Walks({ ...of, node, tracks: [], network: ETH_MAINNET, lifecycle, telemetry });
  const counted = { ...book, reports: () => ((rounds += 1), book.reports()) };
  job = followBook({ ...of, book: counted, walks, set: [], checked: () => undefined });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await job.stop();
  await lifecycle.shutdown('the end of the test');
  rmSync(folder, { recursive: true });
});

async function follow(wishes: readonly TrackWish[]): Promise<void> {
  for (const wish of wishes) await book.wish(wish);
  job.start();
  await until('a round has ended', () => rounds > 0);
}

it('a track is not removed while another instance may still write to it', async () => {
  const wish: TrackWish = { track: trackAt(1), wish: 'remove', fromBlock: 0 };
  await follow([wish]);
  expect(removed).toEqual([]);
  expect(await book.wishes()).toEqual([wish]);
});

it('no more tracks are walked than the index may have, and the log says it once', async () => {
  const warn = jest.spyOn(logger, 'warn');
  const tracks = Array.from({ length: MAX_TOKENS + 1 }, (_, i) => trackAt(i + 1));
  await follow(tracks.map((track) => ({ track, wish: 'index', fromBlock: 0 })));
  job.nudge();
  await until('another round has ended', () => rounds > 1);
  expect(walks.tracks).toEqual(tracks.slice(0, MAX_TOKENS));
  expect(warn.mock.calls.map(([about]) => about)).toEqual([{ track: tracks.at(-1) }]);
});

it('an instance that stands by reports nothing', async () => {
  const track = trackAt(1);
  walks.begin(track, 0);
  await until('it stands by', () => walks.reporterOf(track)?.status.state === 'standing by');
  await follow([{ track, wish: 'index', fromBlock: 0 }]);
  expect(await book.reports()).toEqual([]);
});

it('reports of instances that have ended are corrected, and those of others left alone', async () => {
  const report = { isSet: true, position: null, status: STATUS, checked: null };
  const [old, fresh] = [0, clock.now() + 60_000];
  const parts = [partOf(trackAt(2), 5), partOf(trackAt(3), 5)] as const;
  const reports: readonly TrackReport[] = [
    { ...report, track: parts[0], at: old },
    { ...report, track: parts[1], at: fresh },
    { ...report, track: trackAt(4), at: fresh },
    { ...report, track: trackAt(5), at: old },
  ];
  await book.report(reports);
  await follow([]);
  await until('the last is corrected', async () => (await book.reports()).at(-1)?.isSet === false);
  const left = [reports[1]!, reports[2]!, { ...reports[3]!, isSet: false }];
  expect(await book.reports()).toEqual(left);
});
