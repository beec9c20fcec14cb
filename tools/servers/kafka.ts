/**
 * Apache Kafka, one node in KRaft mode (https://kafka.apache.org/41/operations/kraft/). Naming a topic does
 * not create it, unless asked for: its user does, as in production.
 */
import { existsSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { install } from './install.ts';
import {
  beginArguments,
  brokerProperties,
  type BrokerPorts,
  format,
  probeBroker,
  writeProperties,
} from './kafka-broker.ts';
import { type PreparedKafka, prepareKafka } from './kafka-prepared.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';

const SCRAM = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];
const ATTEMPTS = 3;

/** Credentials of the secured listener, and its certificate. */
export interface KafkaSecurityOptions {
  readonly certificate: Certificate;
  readonly username: string;
  readonly password: string;
}

export interface KafkaOptions extends ServerOptions {
  /** Adds a listener with TLS and SASL: PLAIN and SCRAM. */
  readonly secured?: KafkaSecurityOptions;
  /** Naming a topic creates it, with the broker's own settings: Apache's default. */
  readonly createsTopics?: boolean;
}

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
  const prepared = await prepareKafka(installed, options.cache);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnFreePorts(options, installed, prepared);
    } catch (error) {
      // Another process may have taken one of the ports between its choice and its use.
      const taken = (error as Error).message.includes('Address already in use');
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnFreePorts(
  options: KafkaOptions,
  installed: string,
  prepared: PreparedKafka,
): Promise<KafkaServer> {
  const data = await openDataFolder('kafka', options);
  const ports: BrokerPorts = {
    clients: options.port ?? (await freePort()),
    proxied: await freePort(),
    proxy: await freePort(),
    controller: await freePort(),
  };
  const securedPort = await freePort();
  const [properties, logs] = [join(data.path, 'server.properties'), join(data.path, 'logs')];
  const brokers = `127.0.0.1:${ports.clients}`;
  const server = await startServer({
    name: 'kafka',
    command: 'java',
    args: [`-XX:SharedArchiveFile=${prepared.classes}`, ...beginArguments(installed, properties)],
    data,
    prepare: async () => {
      const { secured } = options;
      const lines = brokerProperties(ports, logs);
      if (options.createsTopics === true) lines['auto.create.topics.enable'] = 'true';
      if (secured) Object.assign(lines, await secure(lines, secured, securedPort, data.path));
      await writeProperties(properties, lines);
      if (secured) await format(installed, properties, usersOf(secured));
      else if (!existsSync(logs)) await cp(prepared.formatted, logs, { recursive: true });
    },
    probe: () => probeBroker(brokers),
  });
  const throughProxy = { listen: `127.0.0.1:${ports.proxy}`, upstream: `127.0.0.1:${ports.proxied}` };
  const securedBrokers = `127.0.0.1:${securedPort}`;
  return Object.assign(server, { brokers, securedBrokers, throughProxy });
}

function usersOf({ username, password }: KafkaSecurityOptions): string[] {
  return SCRAM.flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${username},password=${password}]`,
  ]);
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
