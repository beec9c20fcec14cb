/** Redis with a replica and three Sentinels, which promote it when the primary fails. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerProcess, startServer } from './process.ts';
import { onRedis, ping, type RedisServer, startRedis } from './redis.ts';

const MASTER = 'hindsight';
const SENTINELS = 3;
const DOWN_AFTER_MS = 2_000;
const WATCHED_WITHIN_MS = 600_000;
const POLL_MS = 100;

export interface WatchedRedis {
  /** As `REDIS_URL` has it: `redis+sentinel://…`. */
  readonly url: string;
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Sentinels in the order of the address, in which clients ask them. */
  readonly sentinels: readonly ServerProcess[];
  stop(): Promise<void>;
}

/**
 * Starts them; resolves when each Sentinel knows the others and a replica in sync: of a primary that dies before, none would
 * ever take its place. From then on one that is silent for 2 s is replaced by its replica.
 */
export async function startWatchedRedis(): Promise<WatchedRedis> {
  const started: ServerProcess[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(started.map((server) => server.stop())));
  const keep = <S extends ServerProcess>(server: S): S => {
    started.push(server);
    return server;
  };
  try {
    const primary = keep(await startRedis());
    const port = new URL(primary.url).port;
    const replica = keep(await startRedis({ settings: { replicaof: `127.0.0.1 ${port}` } }));
    const ports = await Promise.all(Array.from({ length: SENTINELS }, () => freePort()));
    const sentinels: ServerProcess[] = [];
    for (const own of ports) sentinels.push(keep(await startSentinel(own, port)));
    const deadline = performance.now() + WATCHED_WITHIN_MS;
    while (!(await Promise.all(ports.map(knowsAll))).every(Boolean)) {
      if (performance.now() > deadline)
        throw new Error('the Sentinels did not find each other and the replica');
      await sleep(POLL_MS);
    }
    const hosts = ports.map((own) => `127.0.0.1:${own}`).join();
    return { url: `redis+sentinel://${hosts}/${MASTER}`, primary, replica, sentinels, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** True if a Sentinel knows all others, and has heard from the replica that it follows the primary. */
async function knowsAll(sentinel: number): Promise<boolean> {
  const [others, replicas] = await onRedis(sentinel, (client) =>
    Promise.all(['SENTINELS', 'REPLICAS'].map((what) => client.call('SENTINEL', what, MASTER))),
  );
  const follows = (replica: readonly string[]): boolean =>
    replica[replica.indexOf('master-link-status') + 1] === 'ok';
  return (others as unknown[]).length === SENTINELS - 1 && (replicas as string[][]).some(follows);
}

async function startSentinel(port: number, primaryPort: string): Promise<ServerProcess> {
  const data = await openDataFolder('redis-sentinel', {});
  // A Sentinel writes what it learns into its own settings.
  const file = join(data.path, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${data.path}`,
    `sentinel monitor ${MASTER} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER} 10000`,
  ];
  await writeFile(file, lines.join('\n'));
  return startServer({
    name: 'redis-sentinel',
    command: 'redis-server',
    args: [file, '--sentinel'],
    data,
    probe: () => ping(port),
  });
}
