/** Redis: the system's own `redis-server`, with an append-only file as in production. */
import { Redis } from 'ioredis';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';

const ANSWER_WITHIN_MS = 1_000;

export interface RedisOptions extends ServerOptions {
  /** When writes reach the disk: before each answer (default), or once a second. */
  readonly appendfsync?: 'always' | 'everysec';
}

/** A Redis of its own. */
export interface RedisServer extends ServerProcess {
  /** As `REDIS_URL` has it. */
  readonly url: string;
}

/** Starts Redis; it is ready when it answers PING, its append-only file loaded. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const data = await openDataFolder('redis', options);
  const port = options.port ?? (await freePort());
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: data.path,
    appendonly: 'yes',
    appendfsync: options.appendfsync ?? 'always',
    save: '',
    daemonize: 'no',
  };
  const server = await startServer({
    name: 'redis',
    command: 'redis-server',
    args: Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]),
    data,
    probe: () => ping(port),
  });
  return Object.assign(server, { url: `redis://127.0.0.1:${port}` });
}

async function ping(port: number): Promise<void> {
  const client = new Redis(port, '127.0.0.1', {
    lazyConnect: true,
    connectTimeout: ANSWER_WITHIN_MS,
    commandTimeout: ANSWER_WITHIN_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}
