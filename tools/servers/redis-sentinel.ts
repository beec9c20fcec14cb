/** Redis with a replica and three Sentinels, which promote it when the primary fails. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerProcess, startServer } from './process.ts';
import { ping, type RedisServer, startRedis } from './redis.ts';

const MASTER = 'hindsight';
const SENTINELS = 3;
const DOWN_AFTER_MS = 2_000;

/** The servers under the Sentinels. */
export interface WatchedRedis {
  /** As `REDIS_URL` has it: `redis+sentinel://…`. */
  readonly url: string;
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  stop(): Promise<void>;
}

/** Starts them. A primary that is silent for 2 s is replaced by its replica. */
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
    for (const own of ports) keep(await startSentinel(own, port));
    const hosts = ports.map((own) => `127.0.0.1:${own}`).join();
    return { url: `redis+sentinel://${hosts}/${MASTER}`, primary, replica, stop };
  } catch (error) {
    await stop();
    throw error;
  }
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
