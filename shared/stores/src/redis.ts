/** Opens Redis: an answer within about 100 ms or an error at once, never a queue that grows. */
import { Fault } from '@hindsight/kernel/errors.ts';
import { Cluster, Redis, ReplyError } from 'ioredis';
import { isNativeError } from 'node:util/types';
import { createHash } from 'node:crypto';
import { settledWithin } from '@hindsight/kernel/deadline.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { parseRedisAddress } from '@hindsight/kernel/redis-address.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { recordDuration } from '@hindsight/kernel/telemetry/record-duration.ts';
import { operationDuration } from './operation-duration.ts';

/** Redis did not answer in time, is not connected, or is not in service (loading, demoted, without its master). */
export class RedisUnreachable extends Fault {
  /** False when the command certainly never ran; true when it may have run, or may still run, without an answer. */
  readonly mayHaveRun: boolean;

  constructor(cause: Error, mayHaveRun: boolean) {
    super(`Redis is not reachable: ${cause.message}`, { cause });
    this.mayHaveRun = mayHaveRun;
  }
}

/** Redis answered with an error: wrong type, a script's own error, out of memory, no permission. */
export class RedisRefused extends Fault {
  constructor(cause: Error) {
    super(`Redis refused: ${cause.message}`, { cause });
  }
}

/** A script: one atomic step on the server. */
export interface RedisScript {
  /** Unique among the scripts of a connection; no command's name. */
  readonly name: string;
  readonly lua: string;
  /** Number of arguments that are keys. */
  readonly keys: number;
}

/** Runs a script with its keys, then its other arguments. */
export type RunScript = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

/** Runs a script once for each list of keys and arguments, all in one pipeline; each run is atomic by itself. */
export type RunScripts = (
  runs: readonly (readonly [keys: readonly string[], args: readonly (string | number)[]])[],
) => Promise<unknown[]>;

/** The driver's client. In a cluster, a command with several keys, and a pipeline, keep to one slot. */
export type RedisClient = Redis | Cluster;

export interface RedisStore {
  /** Runs commands. @throws {RedisUnreachable} {RedisRefused} */
  run<T>(work: (client: RedisClient) => Promise<T>): Promise<T>;
  /** Makes a script callable. The server stores it by its hash; the source is sent only if the server lacks it. */
  script(script: RedisScript): RunScript;
  /** The same for many runs at once. When one of them fails, the others may have taken place. */
  scripts(script: RedisScript): RunScripts;
  /**
   * Identifies the primaries of a cluster: the identity changes when one of them restarts or a replica takes its place.
   * Empty for a single server, which its scripts can identify themselves.
   * @throws {RedisUnreachable} when a primary does not answer, or does not serve
   */
  identity(): Promise<string>;
  /** For `/readyz`: the server answers. */
  readonly check: ReadinessCheck;
}

interface RedisSettings {
  readonly url: string;
  /** Shown by the server's CLIENT LIST. */
  readonly connectionName?: string;
  /** Milliseconds that an answer may take. */
  readonly answerWithinMs?: number;
  /** Measures commands. */
  readonly telemetry?: Telemetry | undefined;
}

const ANSWER_WITHIN_MS = 100;
/** After this many timeouts without a byte the connection is closed: commands then fail at once instead of waiting. */
const SILENCE = 4;
const CONNECT_MS = 1_000;
const FIRST_CONNECT_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 1_000;
/** A cluster redirects a command whose slot has moved, but a primary that is down cannot say which replica replaced it. */
const SLOTS_REFRESHED_MS = 1_000;
const MOST_REDIRECTIONS = 3;

/** Answers of a server that cannot serve at the moment. A new connection may lead to one that can. */
const NOT_IN_SERVICE = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS)\b/;
const MOVED_ROLE = /^(READONLY|MASTERDOWN)\b/;

/** ioredis' messages for a command that it did not write to a connection. */
const NEVER_SENT = 'enableOfflineQueue';

/**
 * Connects, and keeps connecting with growing pauses whenever the connection is lost. Returns when the server is
 * there, or after 2 s without it: a service starts without Redis, and says so in `/readyz`.
 */
export async function openRedis(
  settings: RedisSettings,
  lifecycle: Lifecycle,
  logger: Logger,
): Promise<RedisStore> {
  const client = createClient(settings);
  lifecycle.onStop('Redis', () => client.disconnect());
  reportConnection(client, logger);
  await firstConnection(client);
  const duration = operationDuration(settings.telemetry);
  const run = async <T>(work: (client: RedisClient) => Promise<T>): Promise<T> => {
    const connected = client.status === 'ready';
    return recordDuration(duration, { 'db.system.name': 'redis' }, async () => {
      try {
        return await work(client);
      } catch (error) {
        throw translate(error, connected);
      }
    });
  };
  return {
    run,
    script: (script) => defineScript(client, run, script),
    scripts: (script) => defineScripts(client, run, script),
    identity: () => run(identityOf),
    check: { name: 'Redis', check: () => run(ping).then(() => 'answers') },
  };
}

function createClient(settings: RedisSettings): RedisClient {
  const { url, connectionName = 'hindsight', answerWithinMs = ANSWER_WITHIN_MS } = settings;
  const options = {
    connectionName,
    commandTimeout: answerWithinMs,
    socketTimeout: SILENCE * answerWithinMs,
    connectTimeout: CONNECT_MS,
    keepAlive: 10_000,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    reconnectOnError: (error: Error) => MOVED_ROLE.test(error.message),
  };
  const single = {
    ...options,
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: reconnectDelay,
  };
  const address = parseRedisAddress(url);
  if (address === undefined) throw new Error('REDIS_URL is not an address of Redis');
  if (address.kind === 'server') return new Redis(address.url, single);
  const { hosts, tls, username, password } = address;
  const access = { username, password, ...(tls && { tls: {} }) };
  if (address.kind === 'sentinel') {
    const { master, sentinelPassword } = address;
    return new Redis({
      ...single,
      ...access,
      name: master,
      sentinels: [...hosts],
      sentinelPassword,
      ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
      sentinelRetryStrategy: reconnectDelay,
      // One that hangs must not keep the others from being asked.
      sentinelCommandTimeout: CONNECT_MS,
      // A demoted server keeps its connections open: they are closed when the Sentinels announce a failover.
      failoverDetector: true,
    });
  }
  return new Cluster([...hosts], {
    lazyConnect: true,
    enableOfflineQueue: false,
    redisOptions: { ...options, ...access },
    clusterRetryStrategy: reconnectDelay,
    clusterNodeRetryStrategy: reconnectDelay,
    // Certificates name hosts: a resolved address would not match.
    ...(tls && { dnsLookup: (name, found) => found(null, name) }),
    slotsRefreshInterval: SLOTS_REFRESHED_MS,
    maxRedirections: MOST_REDIRECTIONS,
    // A command for a slot without a server fails at once, as with a single server that is down.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  });
}

function reconnectDelay(attempt: number): number {
  return Math.min(50 * 2 ** attempt, MAX_RECONNECT_DELAY_MS);
}

/** Asks the server, or each primary. */
async function ping(client: RedisClient): Promise<void> {
  await (client instanceof Cluster ? identityOf(client) : client.ping());
}

/** @see RedisStore.identity */
async function identityOf(client: RedisClient): Promise<string> {
  if (!(client instanceof Cluster)) return '';
  const primaries = client.nodes('master');
  if (primaries.length === 0) throw new Error('the cluster is not known yet');
  const names = await Promise.all(
    primaries.map(async (node) => {
      const [server, replication, cluster] = await Promise.all([
        node.info('server'),
        node.info('replication'),
        node.cluster('INFO'),
      ]);
      const [, run] = /^run_id:(\w+)/m.exec(server) ?? [];
      const [, data] = /^master_replid:(\w+)/m.exec(replication) ?? [];
      // A primary that is cut off from the majority still answers, though a replica may have taken its place.
      if (!/^role:master/m.test(replication) || !String(cluster).includes('cluster_state:ok')) {
        throw new Error('CLUSTERDOWN a server of the cluster does not serve');
      }
      return `${run}${data}`;
    }),
  );
  return createHash('sha256').update(names.sort().join()).digest('hex');
}

/** Logs once that Redis is unavailable and once that it is back, for any number of attempts in between. */
function reportConnection(client: RedisClient, logger: Logger): void {
  let unavailable = false;
  client.on('ready', () => {
    if (unavailable) logger.info('Redis is back');
    unavailable = false;
  });
  client.on('error', (error: Error) => {
    if (!unavailable) logger.warn({ reason: error.message }, 'Redis is unavailable');
    unavailable = true;
  });
}

async function firstConnection(client: RedisClient): Promise<void> {
  const connected = new Promise<void>((resolve) => void client.once('ready', resolve));
  // More attempts follow the first failure; `reportConnection` logs it.
  client.connect().catch(() => undefined);
  await settledWithin(connected, FIRST_CONNECT_MS);
}

function defineScript(client: RedisClient, run: RedisStore['run'], script: RedisScript): RunScript {
  client.defineCommand(script.name, { lua: script.lua, numberOfKeys: script.keys });
  return (keys, args) => run(async () => callScript(client, script, keys, args));
}

function defineScripts(client: RedisClient, run: RedisStore['run'], script: RedisScript): RunScripts {
  client.defineCommand(script.name, { lua: script.lua, numberOfKeys: script.keys });
  return (runs) =>
    run(async () => {
      // A pipeline goes to one server.
      if (client instanceof Cluster)
        return Promise.all(runs.map(([keys, args]) => callScript(client, script, keys, args)));
      const pipeline = client.pipeline();
      for (const [keys, args] of runs) void callScript(pipeline, script, keys, args);
      return resultsOf(await pipeline.exec());
    });
}

/** A pipeline resolves whatever its commands answered: the first error is thrown. */
function resultsOf(answers: readonly [Error | null, unknown][] | null): unknown[] {
  return (answers ?? []).map(([error, result]) => {
    if (error !== null) throw error;
    return result;
  });
}

/** Commands of scripts are methods that the driver adds by name. */
function callScript(
  client: object,
  { name }: RedisScript,
  keys: readonly string[],
  args: readonly (string | number)[],
): unknown {
  type Scripts = Record<string, (...args: (string | number)[]) => unknown>;
  return (client as Scripts)[name]?.call(client, ...keys, ...args);
}

function translate(error: unknown, connected: boolean): Error {
  if (!isNativeError(error)) return new Error(String(error));
  if (error instanceof ReplyError) {
    return NOT_IN_SERVICE.test(error.message) ? new RedisUnreachable(error, false) : new RedisRefused(error);
  }
  return new RedisUnreachable(error, connected && !error.message.includes(NEVER_SENT));
}
