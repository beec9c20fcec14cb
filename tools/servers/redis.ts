/** Redis: the system's own `redis-server`, with an append-only file as in production. */
import { Redis } from 'ioredis';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { freePort } from './ports.ts';
import { openDataFolder, type ServerOptions, type ServerProcess, startServer } from './process.ts';

/** Of a server that is starting. */
const ANSWER_WITHIN_MS = 1_000;
const PATIENCE_MS = 60_000;

export interface RedisOptions extends ServerOptions {
  /** When writes reach the disk: before each answer (default), or once a second. */
  readonly appendfsync?: 'always' | 'everysec';
  /** TLS with this certificate only, and clients with the password only. */
  readonly secured?: { readonly certificate: Certificate; readonly password: string };
  /** Further settings of `redis.conf`, by their names. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface RedisServer extends ServerProcess {
  /** As `REDIS_URL` has it. */
  readonly url: string;
}

/** Starts Redis; it is ready when it answers PING, its append-only file loaded. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const data = await openDataFolder('redis', options);
  const port = options.port ?? (await freePort());
  const { secured } = options;
  const settings = {
    bind: '127.0.0.1',
    port: secured === undefined ? String(port) : '0',
    dir: data.path,
    appendonly: 'yes',
    appendfsync: options.appendfsync ?? 'always',
    save: '',
    daemonize: 'no',
    ...(secured && (await secure(secured, port, data.path))),
    ...options.settings,
  };
  const server = await startServer({
    name: 'redis',
    command: 'redis-server',
    args: Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]),
    data,
    probe: () => ping(port, secured),
  });
  return Object.assign(server, { url: `redis://127.0.0.1:${port}` });
}

async function secure(
  { certificate, password }: NonNullable<RedisOptions['secured']>,
  port: number,
  folder: string,
): Promise<Record<string, string>> {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(cert, certificate.cert);
  await writeFile(key, certificate.key, { mode: 0o600 });
  return {
    'tls-port': String(port),
    'tls-cert-file': cert,
    'tls-key-file': key,
    'tls-auth-clients': 'no',
    requirepass: password,
  };
}

/** Rejects if no Redis, or Sentinel, answers. */
export async function ping(port: number, secured?: RedisOptions['secured']): Promise<void> {
  await onRedis(port, (client) => client.ping(), { secured, answerWithinMs: ANSWER_WITHIN_MS });
}

/** Runs commands on the server at a port of this machine, over a connection of their own. */
export async function onRedis<T>(
  port: number,
  work: (client: Redis) => Promise<T>,
  {
    secured,
    answerWithinMs = PATIENCE_MS,
  }: { secured?: RedisOptions['secured']; answerWithinMs?: number } = {},
): Promise<T> {
  const client = new Redis(port, '127.0.0.1', {
    ...(secured && { tls: { ca: secured.certificate.cert }, password: secured.password }),
    lazyConnect: true,
    connectTimeout: answerWithinMs,
    commandTimeout: answerWithinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.disconnect();
  }
}
