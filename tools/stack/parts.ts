/** What the services depend on: the servers and an Ethereum node. */
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { startKafka } from '../servers/kafka.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { startRedis } from '../servers/redis.ts';

/** Said to people as things happen. */
export type Progress = (line: string) => void;

/** The servers, as stack.json lists them. */
export interface Servers {
  readonly kafka: { readonly pid: number; readonly brokers: string };
  readonly redis: { readonly pid: number; readonly url: string };
  readonly mongodb: { readonly pid: number; readonly url: string };
}

/** The Ethereum node. A node of somebody else's has no process id here. */
export interface NodeAccess {
  readonly pid: number | null;
  readonly url: string;
}

/** Starts the three servers at once, each on a free port, with data that ends with them. */
export async function startServers(lifecycle: Lifecycle, say: Progress): Promise<Servers> {
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
    started('Kafka', startKafka()),
    started('Redis', startRedis()),
    started('MongoDB', startMongodb()),
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
