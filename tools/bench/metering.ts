/** The metering service, from Kafka into the MongoDB-protocol server on one core, against kafkajs reading the same topic alone. */
import { execFile, execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startKafka } from '../servers/kafka.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { startRedis } from '../servers/redis.ts';
import { withDatabase } from '../servers/mongodb-database.ts';
import { openBus } from '@hindsight/bus/open.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { dayOf } from '@hindsight/usage/calendar.ts';
import { Kafka, logLevel } from 'kafkajs';
import { type Db, MongoClient } from 'mongodb';
import { cpuSeconds } from './machine.ts';
import { startService } from './service-process.ts';

const EVENTS = 150_000;
const ROUNDS = 3;
/** Instances of gateways, projects, routes: as in a busy installation. */
const PRODUCERS = Array.from({ length: 12 }, () => randomIds.next());
const PROJECTS = Array.from({ length: 200 }, () => randomIds.next());
const ENDPOINTS = ['balance-single', 'balance-native', 'allowance-single', 'token-list'];
/** Most projects and routes in one flush of a gateway. */
const MAX_ENTRIES = 7;
const AT_ONCE = 2_000;
const GIVE_UP_AFTER_MS = 120_000;
const BASELINE = 'tools/bench/processes/kafkajs-alone.ts';

interface Measured {
  readonly perSecond: number;
  /** Microseconds of processor time for each event, the process's start included. */
  readonly cpu: number;
}

/** The n-th event, spread deterministically, so that every run is the same. */
function event(n: number) {
  const producer = PRODUCERS[n % PRODUCERS.length]!;
  const day = dayOf(Date.now());
  const entries = Array.from({ length: 1 + (n % MAX_ENTRIES) }, (_, i) => ({
    projectId: PROJECTS[(n * 31 + i * 7) % PROJECTS.length]!,
    day,
    endpoint: ENDPOINTS[(n + i) % ENDPOINTS.length]!,
    requests: 1 + ((n + i) % 3),
  }));
  const source = `/gateway/${producer}`;
  const data = { lane: producer, entries };
  return {
    type: 'usage-recorded' as const,
    id: `${producer}:${n}`,
    source,
    time: Date.now(),
    sequence: n,
    data,
  };
}

async function fill(brokers: string): Promise<number> {
  const logger = createLogger({ name: 'bench', level: 'error' });
  const lifecycle = createLifecycle(createLogger({ name: 'bench', level: 'silent' }));
  const platform = { logger, clock: systemClock, ids: randomIds, lifecycle };
  const { bus } = await openBus({ dataDir: '/nowhere', brokers: [brokers] }, platform);
  let requests = 0;
  for (let at = 0; at < EVENTS; at += AT_ONCE) {
    const events = Array.from({ length: AT_ONCE }, (_, i) => event(at + i));
    for (const { data } of events) for (const entry of data.entries) requests += entry.requests;
    await bus.publish('usage.recorded', events);
  }
  await lifecycle.shutdown('the topic is filled');
  return requests;
}

async function kafkajsAlone(brokers: string, round: number): Promise<Measured> {
  const words = [BASELINE, brokers, 'usage.recorded', String(EVENTS), `alone-${round}`];
  const run = promisify(execFile)('taskset', ['-c', '0', process.execPath, ...words], {
    timeout: GIVE_UP_AFTER_MS,
  });
  return JSON.parse((await run).stdout) as Measured;
}

async function counted(db: Db): Promise<number> {
  const sum = { $group: { _id: null, requests: { $sum: '$requests' } } };
  const [found] = await db.collection('usage').aggregate<{ requests: number }>([sum]).toArray();
  return found?.requests ?? 0;
}

async function metering(
  settings: Readonly<Record<string, string>>,
  db: Db,
  requests: number,
): Promise<Measured> {
  const service = await startService('metering', settings);
  try {
    execFileSync('taskset', ['-apc', '0', String(service.pid)]);
    let [first, begun] = [0, 0];
    for (const end = performance.now() + GIVE_UP_AFTER_MS; performance.now() < end; await sleep(20)) {
      const now = await counted(db);
      if (now > 0 && begun === 0) [first, begun] = [now, performance.now()];
      if (now < requests) continue;
      const share = (requests - first) / requests;
      const perSecond = (share * EVENTS * 1_000) / (performance.now() - begun);
      return { perSecond, cpu: (cpuSeconds(service.pid) * 1e6) / EVENTS };
    }
    throw new Error(`only ${await counted(db)} of ${requests} requests were counted`);
  } finally {
    await service.stop();
  }
}

const median = (runs: readonly Measured[]): Measured =>
  runs.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)]!;

function report(what: string, { perSecond, cpu }: Measured, base?: Measured): void {
  const rate = `${Math.round(perSecond).toLocaleString('en')}/s`.padStart(10);
  const ratio = base === undefined ? 'baseline' : `ratio ${(perSecond / base.perSecond).toFixed(2)}`;
  console.log(`${what.padEnd(42)} ${rate}  ${cpu.toFixed(0)} µs of processor time an event  ${ratio}`);
}

async function forget(brokers: string): Promise<void> {
  const admin = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.deleteGroups(['metering']);
  await admin.disconnect();
}

/** Runs the benchmark and prints its table. */
export async function run(): Promise<void> {
  const kafka = await startKafka();
  const mongodb = await startMongodb();
  const redis = await startRedis();
  const client = await new MongoClient(mongodb.url).connect();
  try {
    const requests = await fill(kafka.brokers);
    for (const pid of [kafka.pid, mongodb.pid, redis.pid, process.pid]) {
      execFileSync('taskset', ['-apc', '1', String(pid)]);
    }
    console.log(`${EVENTS.toLocaleString('en')} events of ${requests.toLocaleString('en')} requests\n`);
    const runs = { alone: [] as Measured[], metering: [] as Measured[], copying: [] as Measured[] };
    for (let round = 0; round < ROUNDS; round++) {
      runs.alone.push(await kafkajsAlone(kafka.brokers, round));
      for (const what of ['metering', 'copying'] as const) {
        const name = `${what}-${round}`;
        const own = what === 'copying' ? { REDIS_URL: redis.url } : {};
        const url = withDatabase(mongodb.url, name);
        const settings = { KAFKA_BROKERS: kafka.brokers, MONGODB_URL: url, ...own };
        runs[what].push(await metering(settings, client.db(name), requests));
        await forget(kafka.brokers);
      }
    }
    const alone = median(runs.alone);
    report('kafkajs alone', alone);
    report('metering, counted in the MongoDB protocol', median(runs.metering), alone);
    report('the same, and copied to Redis', median(runs.copying), alone);
    const ratio = median(runs.copying).perSecond / median(runs.metering).perSecond;
    console.log(`with the copy against without: ${ratio.toFixed(2)}`);
  } finally {
    await client.close();
    await redis.stop();
    await mongodb.stop();
    await kafka.stop();
  }
}
