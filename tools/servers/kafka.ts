/**
 * Apache Kafka, one node in KRaft mode (https://kafka.apache.org/41/operations/kraft/). Naming a topic does
 * not create it: its user does, as in production.
 */
import { writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import type { Certificate } from './certificate.ts';
import { install } from './install.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';
import { RECIPES } from './recipes.ts';

const SCRAM = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];
const ATTEMPTS = 3;
const FORMAT_WITHIN_MS = 120_000;
/** Sixteen bytes in base64, always the same: a kept data folder is refused under another id. */
const CLUSTER_ID = 'SGluZHNpZ2h0LUthZmthMQ';

/** Credentials of the secured listener, and its certificate. */
export interface KafkaSecurityOptions {
  readonly certificate: Certificate;
  readonly username: string;
  readonly password: string;
}

export interface KafkaOptions extends ServerOptions {
  /** Adds a listener with TLS and SASL: PLAIN and SCRAM. */
  readonly secured?: KafkaSecurityOptions;
}

/** A running broker. */
export interface KafkaServer extends ServerProcess {
  /** host:port, as `KAFKA_BROKERS` has it. */
  readonly brokers: string;
  /** host:port of the secured listener, if there is one. */
  readonly securedBrokers: string;
  /**
   * For a proxy between clients and the broker: `upstream` is a listener that sends its clients to `listen`, where
   * the proxy is to be put. (Clients of `brokers` get the broker's own address and bypass a proxy.)
   */
  readonly throughProxy: { readonly listen: string; readonly upstream: string };
}

/** Starts a broker; it is ready when its metadata and its group coordinator answer. */
export async function startKafka(options: KafkaOptions = {}): Promise<KafkaServer> {
  const installed = await install('kafka', options.cache);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnFreePorts(options, installed);
    } catch (error) {
      // Another process may have taken one of the ports between its choice and its use.
      const taken = (error as Error).message.includes('Address already in use');
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnFreePorts(options: KafkaOptions, installed: string): Promise<KafkaServer> {
  const data = await openDataFolder('kafka', options);
  const ports: Ports = {
    clients: options.port ?? (await freePort()),
    proxied: await freePort(),
    proxy: await freePort(),
    controller: await freePort(),
    secured: await freePort(),
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
      const { secured } = options;
      const lines = serverProperties(ports, join(data.path, 'logs'));
      if (secured) Object.assign(lines, await secure(lines, secured, ports.secured, data.path));
      const text = Object.entries(lines).map(([key, value]) => `${key}=${value}\n`);
      await writeFile(properties, text.join(''), { mode: 0o600 });
      await format(java, properties, secured);
    },
    probe: () => probe(brokers),
  });
  const throughProxy = { listen: `127.0.0.1:${ports.proxy}`, upstream: `127.0.0.1:${ports.proxied}` };
  const securedBrokers = `127.0.0.1:${ports.secured}`;
  return Object.assign(server, { brokers, securedBrokers, throughProxy });
}

interface Ports {
  readonly clients: number;
  readonly proxied: number;
  readonly proxy: number;
  readonly controller: number;
  readonly secured: number;
}

function javaArguments(installed: string): string[] {
  const logging = join(RECIPES.kafka.folder, 'log4j2.properties');
  return [`-Dlog4j2.configurationFile=${logging}`, '-cp', join(installed, 'libs', '*')];
}

function serverProperties(ports: Ports, logs: string): Record<string, string> {
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

/** Adds the properties of a secured listener. */
async function secure(
  lines: Readonly<Record<string, string>>,
  { certificate, username, password }: KafkaSecurityOptions,
  port: number,
  folder: string,
): Promise<Record<string, string>> {
  const keystore = join(folder, 'keystore.pem');
  await writeFile(keystore, `${certificate.key}\n${certificate.cert}\n`, { mode: 0o600 });
  const added = (name: string, more: string): [string, string] => [name, `${lines[name]},${more}`];
  const own = (name: string): string => `listener.name.secured.${name}`;
  const modules = 'org.apache.kafka.common.security';
  return Object.fromEntries([
    added('listeners', `SECURED://127.0.0.1:${port}`),
    added('advertised.listeners', `SECURED://127.0.0.1:${port}`),
    added('listener.security.protocol.map', 'SECURED:SASL_SSL'),
    [own('ssl.keystore.type'), 'PEM'],
    [own('ssl.keystore.location'), keystore],
    [own('sasl.enabled.mechanisms'), ['PLAIN', ...SCRAM].join(',')],
    [
      own('plain.sasl.jaas.config'),
      `${modules}.plain.PlainLoginModule required user_${username}="${password}";`,
    ],
    ...SCRAM.map((mechanism) => [
      own(`${mechanism.toLowerCase()}.sasl.jaas.config`),
      `${modules}.scram.ScramLoginModule required;`,
    ]),
  ]) as Record<string, string>;
}

async function format(
  java: readonly string[],
  properties: string,
  secured: KafkaSecurityOptions | undefined,
): Promise<void> {
  const users = (secured === undefined ? [] : SCRAM).flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${secured?.username},password=${secured?.password}]`,
  ]);
  const args = [
    'kafka.tools.StorageTool',
    'format',
    '--ignore-formatted',
    '-t',
    CLUSTER_ID,
    '-c',
    properties,
    ...users,
  ];
  // It ends within a second: the JVM's optimisations would only slow it down.
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
