/**
 * Apache Kafka, one node in KRaft mode (https://kafka.apache.org/41/operations/kraft/). Naming a topic does
 * not create it: its user does, as in production.
 */
import { writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { install } from './install.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';
import { RECIPES } from './recipes.ts';

const ATTEMPTS = 3;
const FORMAT_WITHIN_MS = 120_000;
/** Sixteen bytes in base64, always the same: a kept data folder is refused under another id. */
const CLUSTER_ID = 'SGluZHNpZ2h0LUthZmthMQ';

/** A broker of its own. */
export interface KafkaServer extends ServerProcess {
  /** host:port, as `KAFKA_BROKERS` has it. */
  readonly brokers: string;
  /**
   * For a proxy between clients and the broker: `upstream` is a listener that sends its clients to `listen`, where
   * the proxy is to be put. (Clients of `brokers` get the broker's own address and bypass a proxy.)
   */
  readonly throughProxy: { readonly listen: string; readonly upstream: string };
}

/** Starts a broker; it is ready when its metadata and its group coordinator answer. */
export async function startKafka(options: ServerOptions = {}): Promise<KafkaServer> {
  const installed = await install('kafka', options.cache);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnFreePorts(options, installed);
    } catch (error) {
      // Another process may have taken one of the four ports between its choice and its use.
      const taken = (error as Error).message.includes('Address already in use');
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnFreePorts(options: ServerOptions, installed: string): Promise<KafkaServer> {
  const data = await openDataFolder('kafka', options);
  const ports: Ports = {
    clients: options.port ?? (await freePort()),
    proxied: await freePort(),
    proxy: await freePort(),
    controller: await freePort(),
  };
  const properties = join(data.path, 'server.properties');
  const java = javaArguments(installed);
  const brokers = `127.0.0.1:${ports.clients}`;
  const server = await startServer({
    name: 'kafka',
    command: 'java',
    args: ['-Xms256m', '-Xmx512m', ...java, 'kafka.Kafka', properties],
    data,
    prepare: async () => {
      await writeFile(properties, serverProperties(ports, join(data.path, 'logs')));
      await format(java, properties);
    },
    probe: () => probe(brokers),
  });
  const throughProxy = { listen: `127.0.0.1:${ports.proxy}`, upstream: `127.0.0.1:${ports.proxied}` };
  return Object.assign(server, { brokers, throughProxy });
}

interface Ports {
  readonly clients: number;
  readonly proxied: number;
  readonly proxy: number;
  readonly controller: number;
}

function javaArguments(installed: string): string[] {
  const logging = join(RECIPES.kafka.folder, 'log4j2.properties');
  return [`-Dlog4j2.configurationFile=${logging}`, '-cp', join(installed, 'libs', '*')];
}

function serverProperties(ports: Ports, logs: string): string {
  const lines = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${ports.controller}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'CLIENTS',
    listeners:
      `CLIENTS://127.0.0.1:${ports.clients},PROXIED://127.0.0.1:${ports.proxied},` +
      `CONTROLLER://127.0.0.1:${ports.controller}`,
    'advertised.listeners': `CLIENTS://127.0.0.1:${ports.clients},PROXIED://127.0.0.1:${ports.proxy}`,
    'listener.security.protocol.map': 'CLIENTS:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': logs,
    'auto.create.topics.enable': 'false',
    // One node: nothing can be replicated. Few partitions of the internal topics: a quicker start.
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '4',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    // A broker killed may come back only when its last session has run out (9 s by default).
    'broker.session.timeout.ms': '3000',
    'broker.heartbeat.interval.ms': '500',
    // A group's first member need not wait for others to come.
    'group.initial.rebalance.delay.ms': '0',
  };
  return Object.entries(lines)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

async function format(java: readonly string[], properties: string): Promise<void> {
  const args = [
    'kafka.tools.StorageTool',
    'format',
    '--ignore-formatted',
    '-t',
    CLUSTER_ID,
    '-c',
    properties,
  ];
  // Over in a second: what the JVM does to become fast only slows it down.
  const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  await promisify(execFile)('java', [...quick, ...java, ...args], {
    timeout: FORMAT_WITHIN_MS,
    killSignal: 'SIGKILL',
  });
}

/** Asking for a group's coordinator makes a fresh broker create the topic of offsets, and waits until it is loaded. */
async function probe(brokers: string): Promise<void> {
  const admin = new Kafka({
    brokers: [brokers],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1_000,
    requestTimeout: 3_000,
    retry: { retries: 0 },
  }).admin();
  try {
    await admin.connect();
    await admin.describeCluster();
    await admin.describeGroups(['hindsight-ready']);
  } finally {
    await admin.disconnect();
  }
}
