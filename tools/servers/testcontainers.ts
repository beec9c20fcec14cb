/** The same three servers as containers, where a Docker engine answers. Loaded only there. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedName } from './find.ts';
import { install } from './install.ts';
import { freePort } from './ports.ts';

const READY_WITHIN_MS = 600_000;
const PRIMARY_WITHIN_MS = 600_000;
const PRIMARY_EVERY_MS = 200;

const IMAGES: Readonly<Record<SharedName, string>> = {
  kafka: 'apache/kafka:4.1.1',
  mongodb: 'mongo:8',
  redis: 'redis:7',
};

/** The part of the library in use here: https://node.testcontainers.org */
interface Testcontainers {
  readonly GenericContainer: new (image: string) => GenericContainer;
  readonly ImageName: { fromString(image: string): ImageName };
  readonly Wait: { forLogMessage(message: RegExp): WaitStrategy };
  readonly getContainerRuntimeClient: () => Promise<{
    readonly info: { readonly containerRuntime: { readonly host: string } };
    readonly image: { exists(image: ImageName): Promise<boolean>; pull(image: ImageName): Promise<void> };
  }>;
}

interface GenericContainer {
  withCommand(command: readonly string[]): this;
  withEnvironment(variables: Readonly<Record<string, string>>): this;
  withExposedPorts(port: number | { readonly container: number; readonly host: number }): this;
  withStartupTimeout(milliseconds: number): this;
  withWaitStrategy(strategy: WaitStrategy): this;
  start(): Promise<StartedTestContainer>;
}

interface StartedTestContainer {
  getHost(): string;
  getMappedPort(port: number): number;
  exec(command: readonly string[]): Promise<{ readonly exitCode: number; readonly output: string }>;
  stop(): Promise<unknown>;
}

interface ImageName {
  readonly string: string;
}

type WaitStrategy = { readonly isWaitStrategy?: never };

/** The library is installed where an engine answers first: it is 28 MB that most never use. */
async function load(): Promise<Testcontainers> {
  const folder = await install('testcontainers');
  return createRequire(join(folder, 'package.json'))('testcontainers') as Testcontainers;
}

/** The reason if the engine can run no container of a server: it has no image and can pull none. */
export async function imageFault(name: SharedName): Promise<string | undefined> {
  try {
    const { ImageName, getContainerRuntimeClient } = await load();
    const image = ImageName.fromString(IMAGES[name]);
    const client = await getContainerRuntimeClient();
    if (!(await client.image.exists(image))) await client.image.pull(image);
    return undefined;
  } catch (error) {
    return `the Docker engine cannot pull ${IMAGES[name]}: ${(error as Error).message}`;
  }
}

/** A server in a container, removed when stopped (and by testcontainers' reaper when this process dies). */
export interface ContainerServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts a container and waits until its server is ready. The address is as the server's own variable has it. */
export async function startContainer(name: SharedName): Promise<ContainerServer> {
  switch (name) {
    case 'kafka':
      return startKafka();
    case 'mongodb':
      return startMongodb();
    case 'redis':
      return startRedis();
  }
}

/** A broker advertises its address to clients, so its outer port must be known before it starts. */
async function startKafka(): Promise<ContainerServer> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await load();
  const port = await freePort();
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
  const container = await new GenericContainer(IMAGES.kafka)
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENERS: 'PLAINTEXT://0.0.0.0:9092,CONTROLLER://localhost:9093',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${host}:${port}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
    })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(READY_WITHIN_MS)
    .start();
  return serverIn(container, `${container.getHost()}:${port}`);
}

/** One node, but a replica set: majority writes, sessions and change streams work as in production. */
async function startMongodb(): Promise<ContainerServer> {
  const { GenericContainer, Wait } = await load();
  const container = await new GenericContainer(IMAGES.mongodb)
    .withCommand(['--replSet', 'rs0', '--bind_ip_all'])
    .withExposedPorts(27017)
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/))
    .withStartupTimeout(READY_WITHIN_MS)
    .start();
  const server = serverIn(
    container,
    `mongodb://${container.getHost()}:${container.getMappedPort(27017)}/?directConnection=true`,
  );
  try {
    await mongosh(container, "rs.initiate({_id: 'rs0', members: [{_id: 0, host: 'localhost:27017'}]})");
    await untilPrimary(container);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

async function untilPrimary(container: StartedTestContainer): Promise<void> {
  const deadline = Date.now() + PRIMARY_WITHIN_MS;
  while (!(await mongosh(container, 'db.hello().isWritablePrimary')).includes('true')) {
    if (Date.now() > deadline) throw new Error(`MongoDB elected no primary within ${PRIMARY_WITHIN_MS} ms`);
    await sleep(PRIMARY_EVERY_MS);
  }
}

async function mongosh(container: StartedTestContainer, script: string): Promise<string> {
  const { exitCode, output } = await container.exec(['mongosh', '--quiet', '--eval', script]);
  if (exitCode !== 0) throw new Error(`mongosh failed: ${output.slice(-500)}`);
  return output;
}

async function startRedis(): Promise<ContainerServer> {
  const { GenericContainer, Wait } = await load();
  const container = await new GenericContainer(IMAGES.redis)
    .withCommand(['redis-server', '--appendonly', 'yes', '--appendfsync', 'always', '--save', ''])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .withStartupTimeout(READY_WITHIN_MS)
    .start();
  return serverIn(container, `redis://${container.getHost()}:${container.getMappedPort(6379)}`);
}

function serverIn(container: StartedTestContainer, address: string): ContainerServer {
  return { address, stop: async () => void (await container.stop()) };
}
