/** The production topology: each process is replaced by its new version, and then by the old one again. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { watchTopic } from '../../tests/support/orders/topic-watch.ts';
import { freeStackPort } from '../../tests/support/stack-port.ts';
import { startKafka } from '../servers/kafka.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { startRedis } from '../servers/redis.ts';
import { startService, type ServiceProcess } from '../stack/service-process.ts';
import { place, type Placed } from '../stack/services.ts';
import { admin, compare, differences, makeProject } from './accounts.ts';
import { askBalances, sendOrders } from './load.ts';
import { since, sumOf, type Report, type Step } from './report.ts';

/** Inputs of every run. */
export interface UpgradeRun {
  readonly trees: { readonly old: string; readonly new: string };
  readonly machine: Readonly<Record<string, string>>;
  readonly lifecycle: Lifecycle;
  readonly say: (line: string) => void;
}

/** Metering understands what the gateways of either version write, and a gateway asks only for what services have. */
const ORDER = ['metering', 'tokens', 'balance', 'orders', 'portal', 'gateway'];
const GATEWAYS = 2;
const BETWEEN_MS = 5_000;
const LIMIT = 2_000;
const PLENTY = 10_000_000;

export async function upgradeStack({ trees, machine, lifecycle, say }: UpgradeRun): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'hindsight-upgrade-'));
  lifecycle.onStop('data', () => rm(folder, { recursive: true, force: true }));
  const servers = await startServers(lifecycle);
  const { shared } = servers;
  await mkdir(join(folder, 'logs'));
  const basePort = await freeStackPort(GATEWAYS);
  const places = place({ gateways: GATEWAYS, basePort, dataDir: join(folder, 'data') });
  const running = new Map<Placed, ServiceProcess>();
  lifecycle.onStop(
    'services',
    async () => void (await Promise.all([...running.values()].map((one) => one.stop()))),
  );
  const start = async (placed: Placed, root: string): Promise<void> => {
    const logFile = join(folder, 'logs', `${placed.name}.log`);
    const env = { ...shared, ...placed.env };
    const onChange = (_: ServiceProcess, words: string): void => say(`${placed.name} ${words}`);
    running.set(
      placed,
      await startService({ placed, root, logFile, machine, env, restart: false, onChange }),
    );
  };
  const inOrder = ORDER.flatMap((name) => places.filter(({ spec }) => spec.name === name));
  say('starting the other version');
  for (const placed of inOrder) await start(placed, trees.old);

  const of = { tree: trees.old, env: { ...machine, ...shared } };
  const [plenty, limited] = [await makeProject(of, PLENTY), await makeProject(of, LIMIT)];
  const urls = places.filter(({ spec }) => spec.name === 'gateway').map(({ url }) => url);
  const loads = {
    balances: askBalances(urls, plenty.key, 4, 20),
    orders: sendOrders(urls, plenty.key, 1, 100),
    limited: askBalances(urls, limited.key, 1, 30),
  };
  const all = Object.values(loads);
  const steps: Step[] = [];
  const step = async (name: string, work: () => Promise<number>): Promise<void> => {
    const before = sumOf(all.map(({ seen }) => seen.statuses));
    const downMs = await work();
    await sleep(BETWEEN_MS);
    const statuses = since(before, sumOf(all.map(({ seen }) => seen.statuses)));
    steps.push({ name, downMs, statuses });
    say(`${name}: ${JSON.stringify(statuses)}`);
  };
  const replace = (placed: Placed, root: string) => async (): Promise<number> => {
    const begun = performance.now();
    await running.get(placed)!.stop();
    await start(placed, root);
    return performance.now() - begun;
  };
  await step('none', async () => 0);
  for (const placed of inOrder) await step(`${placed.name} → new`, replace(placed, trees.new));
  for (const placed of inOrder.toReversed()) await step(`${placed.name} → old`, replace(placed, trees.old));
  // Whatever is left of the limit.
  const rest = askBalances(urls, limited.key, 8, 5);
  for (let left = true; left;) {
    const before = rest.seen.statuses[200] ?? 0;
    await sleep(BETWEEN_MS);
    left = (rest.seen.statuses[200] ?? 0) > before;
  }
  await Promise.all([...all, rest].map((load) => load.stop()));

  const now = { tree: trees.new, env: of.env };
  const ofPlenty = await compare(now, plenty, [loads.balances.seen, loads.orders.seen]);
  const ofLimited = await compare(now, limited, [loads.limited.seen, rest.seen]);
  const topic = await onTopic(shared.KAFKA_BROKERS, loads.orders.seen.taken);
  const differing = await differences(now);
  const { total: letters } = (await admin(now, 'dead-letters', 'list')) as { total: number };
  const faults = [...ofPlenty.faults, ...ofLimited.faults, ...topic.faults];
  if (ofPlenty.orders !== topic.orders)
    faults.push(`${topic.orders} orders on the topic, ${ofPlenty.orders} counted`);
  if (differing > 0) faults.push(`usage reconcile: ${differing} differences`);
  if (letters > 0) faults.push(`${letters} dead letters`);
  return {
    title: 'Kafka, Redis, a server of the MongoDB protocol; two gateways, one of each other process',
    steps,
    findings: {
      'without a limit in reach': ofPlenty.finding,
      'up to its limit': ofLimited.finding,
      orders: `${loads.orders.seen.taken.size} answered 201, ${topic.orders} on the topic, ${ofPlenty.orders} counted`,
      'differences within the ledger': differing,
      'dead letters': letters,
    },
    faults,
  };
}

async function startServers(lifecycle: Lifecycle) {
  const [kafka, redis, mongodb, node] = await Promise.all([
    startKafka(),
    startRedis(),
    startMongodb(),
    startDevchain(),
  ]);
  lifecycle.onStop(
    'servers',
    async () => void (await Promise.all([kafka, redis, mongodb, node].map((one) => one.stop()))),
  );
  const shared = {
    KAFKA_BROKERS: kafka.brokers,
    REDIS_URL: redis.url,
    MONGODB_URL: mongodb.url,
    ETH_RPC_URL: node.url,
    SECRETS_KEY: randomBytes(32).toString('base64url'),
    TOKENS_FROM_BLOCK: String(CHAIN.genesis),
  };
  return { shared };
}

/** Each order once, however often it was written: a repetition has the same source and sequence. */
async function onTopic(
  brokers: string,
  taken: ReadonlySet<string>,
): Promise<{ orders: number; faults: string[] }> {
  const watch = await watchTopic([brokers], 'upgrade');
  try {
    await watch.caughtUp();
    const missing = [...taken].filter((id) => !watch.written.has(id));
    const twice = [...watch.written].filter(([, writes]) => new Set(writes).size > 1);
    const faults: string[] = [];
    if (missing.length > 0) faults.push(`${missing.length} orders are not on the topic`);
    if (twice.length > 0) faults.push(`${twice.length} orders are on the topic under two numbers`);
    return { orders: watch.written.size, faults };
  } finally {
    await watch.close();
  }
}
