/** `npm run events` as a process: how it waits, and how it ends. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text as wholeOf } from 'node:stream/consumers';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { consumerGroup } from '../../standalone/src/arguments.ts';
import { runAdminHere } from '../support/admin-here.ts';
import { machineEnv } from '../support/machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'hindsight-events-'));
const env = { DATA_DIR: join(folder, 'data') };
/** Takes connections, and never says a word. */
let silent: Server;

beforeAll(async () => {
  for (const name of ['one', 'two', 'three'])
    await runAdminHere(env, 'project', 'create', '--name', name, '--plan', 'free');
  silent = createServer((socket) => socket.on('error', () => socket.destroy()));
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  silent.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(settings: Readonly<Record<string, string>>, ...words: string[]) {
  const args = ['standalone/src/events/main.ts', '--topic', 'projects.changed', ...words];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...machineEnv(), ...env, ...settings } });
  return { child, stderr: textOf(child), ended: once(child, 'close') };
}

function textOf({ stderr }: ChildProcessWithoutNullStreams): () => string {
  let text = '';
  stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}

it('says that it waits for Kafka, and ends at the first signal', async () => {
  const { port } = silent.address() as AddressInfo;
  const { child, stderr, ended } = start({ KAFKA_BROKERS: `127.0.0.1:${port}` }, '--group', 'mine');
  try {
    await until('it says what it waits for', () => stderr().includes('waiting for Kafka (KAFKA_BROKERS)'));
    child.kill('SIGTERM');
    expect(await ended).toEqual([expect.any(Number), null]);
  } finally {
    child.kill('SIGKILL');
    silent.unref();
  }
});

it('says where it waits for events that have not come', async () => {
  const { child, stderr, ended } = start({}, '--topic', 'orders.received', '--group', 'early');
  const text = `waiting for events of orders.received, in ${env.DATA_DIR} (DATA_DIR)\n`;
  await until('it says what it waits for', () => stderr() === text);
  child.kill('SIGTERM');
  expect(await ended).toEqual([expect.any(Number), null]);
});

it('prints no more than it is asked for, and leaves the rest to the next reader of its group', async () => {
  const { stdout } = await runAdminHere(env, 'project', 'list', '--json');
  const [{ project }] = (JSON.parse(stdout) as { projects: [{ project: string }] }).projects;
  // Events of one project come together: they share a partition.
  for (const plan of ['starter', 'growth'])
    await runAdminHere(env, 'project', 'set-plan', project, '--plan', plan);
  const ids: string[] = [];
  for (let reader = 0; reader < 5; reader++) {
    const { child, ended } = start({}, '--group', 'few', '--json', '--limit', '1');
    ids.push((JSON.parse(await wholeOf(child.stdout)) as { id: string }).id);
    expect(await ended).toEqual([0, null]);
  }
  expect(new Set(ids).size).toBe(5);
});

it('takes no event from its group that could not be written', async () => {
  const args = ['standalone/src/events/main.ts', '--topic', 'projects.changed', '--group', 'full', '--json'];
  const options = { cwd: ROOT, env: { ...machineEnv(), ...env }, encoding: 'utf8' } as const;
  const full = openSync('/dev/full', 'w');
  expect(spawnSync(process.execPath, args, { ...options, stdio: ['ignore', full, 'pipe'] }).status).toBe(1);
  closeSync(full);
  const first = (group: string): string =>
    spawnSync(process.execPath, [...args, '--group', group, '--limit', '1'], options).stdout;
  expect(first('full')).toBe(first('new'));
});

it('ends when its reader has seen enough', async () => {
  const { child, stderr, ended } = start({}, '--group', 'head', '--json');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  // A write that nothing takes any more.
  await runAdminHere(env, 'project', 'create', '--name', 'four', '--plan', 'free');
  expect(await ended).toEqual([0, null]);
  // On a slow machine it may have waited.
  expect(stderr()).not.toMatch(/EPIPE|Error/);
});

it.each([
  'metering',
  'metering-orders',
  'metering-alerts',
  'gateway-01',
  'portal-alerts',
  'hindsight-admin-replay',
])('takes no events from the product’s own group %s', (group) => {
  expect(() => consumerGroup(group)).toThrow('Hindsight itself reads in this group');
  expect(consumerGroup(`my-${group}`)).toBe(`my-${group}`);
});

it('takes no empty name, which a variable of the shell that is not set gives', () => {
  expect(() => consumerGroup('')).toThrow('Expected a name');
});

it('refuses such a group', async () => {
  const { stderr, ended } = start({}, '--group', 'metering');
  expect(await ended).toEqual([1, null]);
  expect(stderr()).toContain('Hindsight itself reads in this group');
});
