/** A Redis cluster: three primaries, each with a replica, that cover every slot. */
import type { Redis } from 'ioredis';
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './ports.ts';
import { onRedis, type RedisServer, startRedis } from './redis.ts';

const NODES = 6;
/** Longer than any machine is busy: no replica takes over. */
const LASTING_MS = 3_600_000;
const SILENT_MS = 3_000;
const FORMED_WITHIN_MS = 600_000;
const POLL_MS = 100;

export interface RedisCluster {
  /** As `REDIS_URL` has it: `redis+cluster://…`. */
  readonly url: string;
  readonly nodes: readonly RedisServer[];
  /** Finds the primary that has a key's slot now. */
  primaryOf(key: string): Promise<RedisServer>;
  /** Sets whether replicas take over from primaries that are silent for 3 s, until a server is started again. */
  letReplicasTakeOver(may: boolean): Promise<void>;
  /** Removes all keys. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts six servers and joins them; resolves when all primaries serve and all replicas are in sync. Slots whose primary is
 * gone are not served, the others are.
 * @param mayTakeOver true where replicas take over from primaries at once, and from servers that were started again
 */
export async function startRedisCluster(mayTakeOver = false): Promise<RedisCluster> {
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(timeoutOf(mayTakeOver))));
  const addresses = nodes.map((node) => new URL(node.url).host);
  const stop = async (): Promise<void> => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes'];
    // It gives the servers some seconds to agree: on a slow machine it fails, and they agree a little later.
    const fault = await promisify(execFile)('redis-cli', create).then(
      () => undefined,
      (error: unknown) => error,
    );
    const deadline = performance.now() + FORMED_WITHIN_MS;
    while (!(await isFormed(nodes))) {
      if (performance.now() > deadline) throw new Error('the Redis cluster did not form', { cause: fault });
      await sleep(POLL_MS);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `redis+cluster://${addresses.join()}`,
    nodes,
    stop,
    primaryOf: (key) => primaryOf(nodes, key),
    letReplicasTakeOver: async (may) => {
      const set = (node: RedisServer) =>
        onNode(node, (client) => client.config('SET', 'cluster-node-timeout', timeoutOf(may)));
      // Those that are down start as all did.
      await Promise.allSettled(nodes.map(set));
    },
    empty: async () => {
      await Promise.all(nodes.map((node) => onNode(node, (client) => client.flushall()).catch(readOnly)));
    },
  };
}

function timeoutOf(mayTakeOver: boolean): string {
  return String(mayTakeOver ? SILENT_MS : LASTING_MS);
}

async function startNode(timeout: string): Promise<RedisServer> {
  const port = await freePort([1]);
  return startRedis({
    port,
    settings: {
      'cluster-enabled': 'yes',
      'cluster-port': String(port + 1),
      'cluster-node-timeout': timeout,
      // A replica may take over however long it had to wait.
      'cluster-replica-validity-factor': '0',
      'cluster-require-full-coverage': 'no',
    },
  });
}

/** True once each server knows all others and serves, and each primary has a replica in sync. */
async function isFormed(nodes: readonly RedisServer[]): Promise<boolean> {
  const states = await Promise.all(nodes.map(stateOf));
  const primaries = states.filter(({ isPrimary }) => isPrimary);
  return states.every(({ isReady }) => isReady) && primaries.length === NODES / 2;
}

function stateOf(node: RedisServer): Promise<{ readonly isPrimary: boolean; readonly isReady: boolean }> {
  return onNode(node, async (client) => {
    const [cluster, replication] = [String(await client.cluster('INFO')), await client.info('replication')];
    const isPrimary = /^role:master/m.test(replication);
    const link = isPrimary
      ? /^slave0:.*state=online/m.test(replication)
      : /^master_link_status:up/m.test(replication);
    const isWhole = cluster.includes('cluster_state:ok') && cluster.includes(`cluster_known_nodes:${NODES}`);
    return { isPrimary, isReady: link && isWhole };
  });
}

async function primaryOf(nodes: readonly RedisServer[], key: string): Promise<RedisServer> {
  for (const node of nodes) {
    // A server that is down, a replica and one of other slots do not read the key.
    const reads = await onNode(node, (client) => client.exists(key)).then(
      () => true,
      () => false,
    );
    if (reads) return node;
  }
  throw new Error(`no server of the cluster has the slot of ${key}`);
}

function readOnly(error: Error): void {
  if (!error.message.startsWith('READONLY')) throw error;
}

function onNode<T>(node: RedisServer, work: (client: Redis) => Promise<T>): Promise<T> {
  return onRedis(Number(new URL(node.url).port), work);
}
