/** The command, the properties and the readiness of a Kafka broker, for its starts and for its preparation. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { RECIPES } from './recipes.ts';

const FORMAT_WITHIN_MS = 600_000;
/** Sixteen bytes in base64, always the same: a kept data folder is refused under another id. */
const CLUSTER_ID = 'SGluZHNpZ2h0LUthZmthMQ';

/** Ports of a broker; its clients are sent to `proxy` by those of `proxied`. */
export interface BrokerPorts {
  readonly clients: number;
  readonly proxied: number;
  readonly proxy: number;
  readonly controller: number;
}

function javaArguments(installed: string): string[] {
  const logging = join(RECIPES.kafka.folder, 'log4j2.properties');
  return [`-Dlog4j2.configurationFile=${logging}`, '-cp', join(installed, 'libs', '*')];
}

/** Arguments of `java` that start a broker. */
export function beginArguments(installed: string, properties: string): string[] {
  return ['-Xms256m', '-Xmx512m', ...javaArguments(installed), 'kafka.Kafka', properties];
}

/** Properties of a broker without security. @param logs the folder of its data */
export function brokerProperties(ports: BrokerPorts, logs: string): Record<string, string> {
  return {
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
}

/** Writes a file that its owner alone reads: it may have passwords. */
export async function writeProperties(path: string, lines: Readonly<Record<string, string>>): Promise<void> {
  const text = Object.entries(lines).map(([key, value]) => `${key}=${value}\n`);
  await writeFile(path, text.join(''), { mode: 0o600 });
}

/** Makes the data folder that the properties name, unless it is there. @param users options of Kafka's tool */
export async function format(installed: string, properties: string, users: readonly string[]): Promise<void> {
  const tool = ['kafka.tools.StorageTool', 'format', '--ignore-formatted'];
  const args = [...tool, '-t', CLUSTER_ID, '-c', properties, ...users];
  // It ends within a second: the JVM's optimisations would only slow it down.
  const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  await promisify(execFile)('java', [...quick, ...javaArguments(installed), ...args], {
    timeout: FORMAT_WITHIN_MS,
    killSignal: 'SIGKILL',
  });
}

/** Asking for a group's coordinator makes a fresh broker create the topic of offsets, and waits until it is loaded. */
export async function probeBroker(brokers: string): Promise<void> {
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
