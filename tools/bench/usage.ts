/** Usage as clients look at it: reads by way of Redis and of MongoDB in one run, and how far it is behind an answer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { dayOf, monthOf, periodOf } from '@hindsight/usage/calendar.ts';
import { byRecord } from '@hindsight/usage/fold.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { startKafka } from '../servers/kafka.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { startRedis } from '../servers/redis.ts';
import { contest, type Contestant } from './contest.ts';
import { leanLoad } from './lean-load.ts';
import type { Results } from './results.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const PROJECTS = 100;
const ENDPOINTS = ['balance-single', 'balance-native', 'allowance-single', 'token-list'];
const CONNECTIONS = 16;
const READS = 4_000;
/** Clients that ask and then wait until they see it. */
const CLIENTS = 8;
const ASKED = 25;
const LOOK_EVERY_MS = 20;
const SECRETS_KEY = 'a secret of the benchmark';
const PATH = '/v1/eth-mainnet/balance/single?token_address=0x1&holder=0x2';

/** Projects with a month behind them. @returns their keys */
async function makeProjects(mongodbUrl: string): Promise<string[]> {
  const lifecycle = createLifecycle(createLogger({ name: 'bench', level: 'silent' }));
  const platform = { clock: systemClock, ids: randomIds, lifecycle };
  const { projects } = await openProjects({ dataDir: '', mongodbUrl, secret: SECRETS_KEY }, platform);
  const { usage } = await openUsage({ dataDir: '', mongodbUrl }, lifecycle);
  const choice = { name: 'bench', plan: 'enterprise', monthlyLimit: 1_000_000_000, rate: 100_000 } as const;
  const today = dayOf(Date.now());
  const { start } = periodOf(Date.now());
  const keys: string[] = [];
  for (let i = 0; i < PROJECTS; i++) {
    const { key, project } = await createProject({ projects, ...platform }, choice);
    keys.push(key);
    const days = Array.from({ length: 31 }, (_, day) => dayOf(start + day * 86_400_000));
    const entries = days
      .filter((day) => day < today && monthOf(day) === monthOf(today))
      .flatMap((day) => ENDPOINTS.map((endpoint) => ({ day, endpoint })))
      .map((entry) => ({ ...entry, project: project.id, requests: 7, orders: 0 }));
    await usage.apply(byRecord([{ producer: 'bench', sequence: i, entries }]));
  }
  await lifecycle.shutdown('the projects are made');
  return keys;
}

const head = (path: string, key: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\nx-api-key: ${key}\r\n\r\n`;

function read(name: string, { url, pid }: ServiceProcess, keys: readonly string[]): Contestant {
  const request = (i: number): string => head('/v1/usage', keys[i % keys.length]!);
  return { name, pid, run: (requests) => leanLoad({ url, requests, connections: CONNECTIONS, request }) };
}

/** Milliseconds from each answer until the client sees it counted. */
async function lags({ url }: ServiceProcess, key: string): Promise<number[]> {
  const headers = { 'x-api-key': key };
  const used = async (): Promise<number> => {
    const response = await fetch(`${url}/v1/usage`, { headers });
    return ((await response.json()) as { requests: { used: number } }).requests.used;
  };
  const found: number[] = [];
  let counted = await used();
  while (found.length < ASKED) {
    const { status } = await fetch(url + PATH, { headers });
    if (status !== 200) throw new Error(`answered ${status}`);
    const answered = performance.now();
    counted++;
    while ((await used()) < counted) await sleep(LOOK_EVERY_MS);
    found.push(performance.now() - answered);
  }
  return found;
}

export async function run(results: Results): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const [kafka, mongodb, redis] = await Promise.all([startKafka(), startMongodb(), startRedis()]);
  const started: ServiceProcess[] = [];
  const start = async (name: string, own: Record<string, string>): Promise<ServiceProcess> => {
    const servers = { KAFKA_BROKERS: kafka.brokers, MONGODB_URL: mongodb.url };
    const dataDir = { DATA_DIR: join(folder, String(started.length)) };
    const service = await startService(name, { ...servers, ...dataDir, ...own });
    started.push(service);
    return service;
  };
  try {
    const keys = await makeProjects(mongodb.url);
    const service = await startScript('tools/bench/processes/small-answers.ts', []);
    started.push(service);
    const urls = { BALANCE_URL: service.url, TOKENS_URL: service.url, ORDERS_URL: service.url };
    await start('metering', { REDIS_URL: redis.url });
    const byMongodb = await start('gateway', { ...urls, SECRETS_KEY });
    const byRedis = await start('gateway', { ...urls, SECRETS_KEY, REDIS_URL: redis.url });
    const contestants = [read('by MongoDB', byMongodb, keys), read('by Redis', byRedis, keys)];
    await contest({ title: 'GET /v1/usage', contestants, operations: READS }, results);
    const behind = (await Promise.all(keys.slice(0, CLIENTS).map((key) => lags(byRedis, key)))).flat();
    behind.sort((a, b) => a - b);
    const at = (share: number): string =>
      `${(behind[Math.min(behind.length - 1, Math.floor(behind.length * share))] ?? 0).toFixed()} ms`;
    console.log(
      `seen by the client after its answer: p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)} (${behind.length} answers)`,
    );
  } finally {
    for (const one of started.toReversed()) await one.stop();
    await Promise.all([kafka.stop(), mongodb.stop(), redis.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
