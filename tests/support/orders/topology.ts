/** Two gateways, two orders services and the metering service as processes, on a Kafka and a MongoDB-protocol server that can be hurt. */
import { startKafka, type KafkaServer } from '@hindsight/tools/servers/kafka.ts';
import { withLongWaits } from '@hindsight/tools/servers/mongodb-database.ts';
import { startMongodb, type MongodbServer } from '@hindsight/tools/servers/mongodb.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { setJoined, startToxiproxy, type ToxiproxyServer } from '@hindsight/tools/servers/toxiproxy.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRestartable, type Restartable } from '../restartable.ts';

/** Everything that runs. */
export interface Topology {
  readonly key: string;
  readonly gateways: readonly Restartable[];
  /** The gateways send to them in turns. The relay of the first one leads from the start. */
  readonly orders: readonly Restartable[];
  readonly metering: Restartable;
  /** Orders of the project that metering has counted in this month. */
  metered(): Promise<number>;
  /** Another project, and the count of one in this month. */
  newProject(): Promise<{ readonly key: string; readonly project: string }>;
  counted(project: string): Promise<{ readonly orders: number; readonly requests: number }>;
  /** Removes published orders: the MongoDB-protocol test server reads through all of them for each batch. */
  forgetPublished(): Promise<void>;
  readonly kafka: KafkaServer;
  readonly mongodb: MongodbServer;
  /** Cuts the services off from a server, or joins them again. */
  setJoined(server: 'kafka' | 'mongodb', joined: boolean): Promise<void>;
  stop(): Promise<void>;
}

const SECRETS_KEY = 'a secret of the fault runs';
const NO_NODE = 'http://127.0.0.1:9';

/** Starts everything; what has started is stopped again when something does not. */
export async function startTopology(): Promise<Topology> {
  const parts: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    // In the order opposite to that of the start: services before their servers.
    for (let end = parts.pop(); end !== undefined; end = parts.pop()) await end().catch(() => undefined);
  };
  try {
    return { ...(await startParts((end) => void parts.push(end))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(onStop: (end: () => Promise<unknown>) => void): Promise<Omit<Topology, 'stop'>> {
  const [kafka, mongodb, toxiproxy] = await Promise.all([startKafka(), startMongodb(), startToxiproxy()]);
  const folder = await mkdtemp(join(tmpdir(), 'orders-faults-'));
  onStop(() => rm(folder, { recursive: true, force: true }));
  for (const server of [kafka, mongodb, toxiproxy]) onStop(() => server.stop());
  const proxies = await startProxies(toxiproxy, kafka, mongodb);
  const common = {
    KAFKA_BROKERS: kafka.throughProxy.listen,
    MONGODB_URL: proxies.mongodbUrl,
    ETH_RPC_URL: NO_NODE,
    LOG_LEVEL: 'info',
  };
  let started = 0;
  const start = async (name: string, settings: Record<string, string> = {}): Promise<Restartable> => {
    // Each has a separate disk.
    const service = await startRestartable(name, {
      ...common,
      DATA_DIR: join(folder, String(started++)),
      ...settings,
    });
    onStop(service.end);
    return service;
  };
  // Past the proxy, whatever the server does.
  const direct = withLongWaits(mongodb.url);
  const { key, project } = await makeProject(direct);
  // The relay of the first one is to lead: it is ready before the others begin.
  const first = await start('orders');
  const [second, metering] = await Promise.all([start('orders'), start('metering')]);
  const orders = [first, second];
  const both = orders.map(({ url }) => url).join(',');
  const upstreams = { SECRETS_KEY, BALANCE_URL: first.url, TOKENS_URL: first.url, ORDERS_URL: both };
  const gateways = await Promise.all([start('gateway', upstreams), start('gateway', upstreams)]);
  const stored = await lookInto(direct);
  onStop(stored.close);
  return {
    key,
    gateways,
    orders,
    metering,
    metered: async () => (await stored.usage(project)).orders,
    newProject: () => makeProject(direct),
    counted: stored.usage,
    forgetPublished: stored.forgetPublished,
    kafka,
    mongodb,
    setJoined: (server, joined) => proxies.setJoined(server, joined),
  };
}

async function startProxies(toxiproxy: ToxiproxyServer, kafka: KafkaServer, mongodb: MongodbServer) {
  const listen = `127.0.0.1:${await freePort()}`;
  const upstream = new URL(mongodb.url).host;
  const proxies = {
    kafka: await toxiproxy.client.createProxy({ name: 'kafka', ...kafka.throughProxy }),
    mongodb: await toxiproxy.client.createProxy({ name: 'mongodb', listen, upstream }),
  };
  return {
    mongodbUrl: `mongodb://${listen}`,
    setJoined: (server: 'kafka' | 'mongodb', joined: boolean) => setJoined(proxies[server], joined),
  };
}

/** Writes of the services, read past the proxy. */
async function lookInto(mongodbUrl: string) {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const { usage } = await openUsage({ dataDir: '', mongodbUrl }, lifecycle);
  const orders = await openMongodb({ url: mongodbUrl }, [], lifecycle);
  return {
    usage: (project: string) => usage.read(project, new Date().toISOString().slice(0, 7)),
    forgetPublished: async () =>
      void (await orders.run((db) => db.collection('orders').deleteMany({ sent: true }))),
    close: () => lifecycle.shutdown('the usage was read'),
  };
}

async function makeProject(mongodbUrl: string): Promise<{ key: string; project: string }> {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const parts = { clock: systemClock, ids: randomIds, lifecycle };
  const { projects } = await openProjects({ dataDir: '', mongodbUrl, secret: SECRETS_KEY }, parts);
  const limits = { monthlyLimit: 1_000_000_000, rate: 100_000 };
  const created = await createProject(
    { projects, ...parts },
    { name: 'faults', plan: 'enterprise', ...limits },
  );
  await lifecycle.shutdown('the project is made');
  return { key: created.key, project: created.project.id };
}
