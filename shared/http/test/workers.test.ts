/** Workers as processes of their own, whose primary is the process of this suite. */
import { afterAll, afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { execFileSync } from 'node:child_process';
import cluster from 'node:cluster';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workers } from '../src/workers.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const own = { metricsText: async () => 'own 1\n' } as Telemetry;
const folder = mkdtempSync(join(tmpdir(), 'hindsight-workers-'));
/** Workers listen once it is there. */
const gate = join(folder, 'gate');

/** A worker on a busy machine may take its time to end. */
const PATIENCE_MS = 600_000;

let lifecycle: Lifecycle;
let workers: Workers;

beforeEach(() => {
  writeFileSync(gate, '');
  lifecycle = createLifecycle(logger, PATIENCE_MS);
});
afterEach(() => lifecycle.shutdown('end of test'));
afterAll(() => rmSync(folder, { recursive: true }));

/** @param code what they end with at SIGTERM */
function open(wanted: number, code = 0, args = [gate, String(code)]): Workers {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'support/worker.child.ts'), args, execArgv: [] });
  return (workers = new Workers(wanted, { logger, lifecycle }));
}

const pids = (): number[] => Object.values(cluster.workers ?? {}).map((worker) => worker!.process.pid!);

/** A line a process, sorted. */
const lines = async (): Promise<string[]> =>
  (await workers.metricsText(own))
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/worker="\d+"/, 'worker'))
    .sort();
const saying = (...details: string[]): string[] => [
  'own{worker="primary"} 1',
  ...details.map((detail) => `workers{detail="${detail}",worker} 1`),
];
/** One that is too slow to send its metrics is left out of them. */
const untilSaid = (...details: string[]): Promise<void> =>
  until(details.join(), async () => (await lines()).join() === saying(...details).join());

it('all say how many of them run, and one that is killed is replaced', async () => {
  await open(2).start();
  await untilSaid('2 of 2 run', '2 of 2 run');
  rmSync(gate);
  process.kill(pids()[0]!, 'SIGKILL');
  await untilSaid('only 1 of 2 run');
  writeFileSync(gate, '');
  await untilSaid('2 of 2 run', '2 of 2 run');
});

it('all of them that end at one moment are replaced', async () => {
  await open(2).start();
  const ended = pids();
  for (const pid of ended) process.kill(pid, 'SIGKILL');
  // Nothing of it is noticed here before both have ended.
  const state = (pid: number): string =>
    execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  while (!ended.every((pid) => state(pid).startsWith('Z')));
  expect(await lines()).toEqual(saying());
  await untilSaid('2 of 2 run', '2 of 2 run');
});

it('metrics lack those of a worker that does not answer', async () => {
  await open(2).start();
  await untilSaid('2 of 2 run', '2 of 2 run');
  const [stopped] = pids();
  process.kill(stopped!, 'SIGSTOP');
  try {
    await untilSaid('2 of 2 run');
  } finally {
    process.kill(stopped!, 'SIGCONT');
  }
});

it('metrics that cannot be read, as at the end of a process, end no worker', async () => {
  await open(2).start();
  const before = pids();
  writeFileSync(`${gate}-ended`, '');
  expect(await lines()).toEqual(saying());
  rmSync(`${gate}-ended`);
  await untilSaid('2 of 2 run', '2 of 2 run');
  expect(pids()).toEqual(before);
});

it('do not start where one ends before it listens', async () => {
  await expect(open(2, 0, []).start()).rejects.toThrow('ended before it listened (3)');
});

it('have all of the time that their primary has to stop', async () => {
  const said: string[] = [];
  const destination = { write: (line: string) => void said.push(line) };
  lifecycle = createLifecycle(createLogger({ name: 'test', level: 'error', destination }), 10);
  await open(1).start();
  const [pid] = pids();
  process.kill(pid!, 'SIGSTOP');
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  await lifecycle.shutdown('test');
  now.mockRestore();
  process.kill(pid!, 'SIGKILL');
  expect(said.join()).toContain('it did not stop within 10 ms');
});

it('are ended before they have begun to start, which loses nothing', async () => {
  const starting = open(2, 0, ['too soon']).start();
  void starting;
  await until('both run', () => pids().length === 2);
  expect(await lifecycle.shutdown('test')).toBe(0);
});

it('are not started once the stop has begun', async () => {
  const ended = lifecycle.shutdown('test', 60_000);
  await new Promise((resolve) => setImmediate(resolve));
  await open(2).start();
  const started = pids();
  for (const pid of started) process.kill(pid, 'SIGKILL');
  expect(started).toEqual([]);
  void lifecycle.shutdown('at once');
  expect(await ended).toBe(0);
});

it.each([0, 3])('end with their primary, whose own code says if one of them ended with %i', async (code) => {
  await open(2, code).start();
  // Codes that come during the drain are not lost.
  expect(await lifecycle.shutdown('test', 200)).toBe(Math.min(code, 1));
  await until('none is left', () => pids().length === 0);
});
