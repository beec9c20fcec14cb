/** Dependencies of the services: the servers and an Ethereum node. */
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { startKafka } from '../servers/kafka.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { startRedis } from '../servers/redis.ts';

/** Said to people as things happen. */
export type Progress = (line: string) => void;

/** The servers, as stack.json lists them. A given server has no process id here. */
export interface Servers {
  readonly kafka: { readonly pid: number | null; readonly brokers: string };
  readonly redis: { readonly pid: number | null; readonly url: string };
  readonly mongodb: { readonly pid: number | null; readonly url: string };
}

/** Servers to use instead of starting them. */
export interface GivenServers {
  /** `KAFKA_BROKERS`. */
  readonly brokers: string | undefined;
  /** `REDIS_URL`. */
  readonly redisUrl: string | undefined;
  /** `MONGODB_URL`. */
  readonly mongodbUrl: string | undefined;
}

/** The Ethereum node. A given node has no process id here. */
export interface NodeAccess {
  readonly pid: number | null;
  readonly url: string;
}

/** Starts those of the three servers that are not given, each on a free port, with data that ends with them. */
export async function startServers(
  { brokers, redisUrl, mongodbUrl }: GivenServers,
  lifecycle: Lifecycle,
  say: Progress,
): Promise<Servers> {
  const started = async <T extends { pid: number; stop(): Promise<void> }>(
    name: string,
    starting: Promise<T>,
  ): Promise<T> => {
    const server = await starting;
    lifecycle.onStop(name, () => server.stop());
    say(`${name} is ready`);
    return server;
  };
  const [kafka, redis, mongodb] = await Promise.all([
    brokers === undefined ? started('Kafka', startKafka()) : { pid: null, brokers },
    redisUrl === undefined ? started('Redis', startRedis()) : { pid: null, url: redisUrl },
    mongodbUrl === undefined ? started('MongoDB', startMongodb()) : { pid: null, url: mongodbUrl },
  ]);
  return {
    kafka: { pid: kafka.pid, brokers: kafka.brokers },
    redis: { pid: redis.pid, url: redis.url },
    mongodb: { pid: mongodb.pid, url: mongodb.url },
  };
}

/** The node of `ETH_RPC_URL`, or else the dev chain. */
export async function startNode(
  ethRpcUrl: string | undefined,
  lifecycle: Lifecycle,
  say: Progress,
): Promise<NodeAccess> {
  if (ethRpcUrl !== undefined) return { pid: null, url: ethRpcUrl };
  const { pid, url, stop } = await startDevchain();
  lifecycle.onStop('the dev chain', stop);
  say('the dev chain is ready');
  return { pid, url };
}
