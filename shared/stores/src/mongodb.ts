/** Opens MongoDB: bounded waits, writes that a majority has on disk, and indexes declared as data. */
import {
  type ClientSession,
  type CommandFailedEvent,
  type CommandSucceededEvent,
  type Db,
  MongoClient,
  type MongoClientOptions,
  MongoServerError,
  ReadConcern,
} from 'mongodb';
import { withDeadline } from '@hindsight/kernel/deadline.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { retry } from '@hindsight/kernel/retry.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { toStoreError } from './mongodb-errors.ts';
import { type CollectionIndexes, lackingIndexes } from './mongodb-indexes.ts';
import { watchClient } from './mongodb-watch.ts';
import { operationDuration } from './operation-duration.ts';
import { StoreUnavailable } from './unavailable.ts';

export interface MongoStore {
  readonly db: Db;
  /**
   * Runs work against `db`, within the operation limit.
   * @throws {StoreUnavailable} when MongoDB is unreachable, too slow, or cannot work at the moment
   * @throws {RecordTooLarge}
   */
  run<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Starts a causally consistent session; undefined if the server has no sessions. For `inCausalOrder`. */
  startSession(): ClientSession | undefined;
  /** For `/readyz`: the server answers. */
  readonly check: ReadinessCheck;
}

interface MongoSettings {
  /** `MONGODB_URL`; the database is the one that it names, or else `hindsight`. Its options replace the defaults. */
  readonly url: string;
  /** The name of this client in the server's logs, if the URL has none. */
  readonly appName?: string;
  /** Measures commands. */
  readonly telemetry?: Telemetry | undefined;
  /** For how long no operation has got a connection before the driver is believed to be stuck. */
  readonly starvedMs?: number;
}

const DEFAULT_DATABASE = 'hindsight';
/** The limit of each of the driver's waits, if the URL has no other: for a server, a connection, a free one of the pool, an answer. */
const WAIT_MS = 2_000;
/** Longest wait for an answer that counts for the limits below; a timer of more than 24 days ends at once. */
const LONGEST_WAIT_MS = 3_600_000;
const CHECK_MS = 1_000;
/** Connections alone are left by then: all who worked with it have stopped. */
const CLOSE_WITHIN_MS = 1_000;
const MAX_CONNECTIONS = 50;

/** Attempts, and the pause between them, of an index build that collides with another process's. */
const INDEX_ATTEMPTS = 5;
const INDEX_PAUSE_MS = 200;
/** Longest wait of a start for a server that is not up yet, or too busy; two operations if that is longer. */
const OPEN_WITHIN_MS = 10_000;
const OPEN_PAUSE_MS = 200;
/** Longest wait of a start for one collection's indexes, which a release may add to a large collection. */
const BUILD_WITHIN_MS = 4 * 3_600_000;
const SAY_EVERY_MS = 10_000;

/** IndexOptionsConflict, IndexKeySpecsConflict: an index of this name or key exists and differs. */
const INDEX_CONFLICTS = new Set<unknown>([85, 86]);

/**
 * Opens the database and builds the indexes that it lacks, however long that takes. Several processes may do so at once.
 * @throws {StoreUnavailable} when the server is unreachable, or refuses the login, for 10 s, or for longer if the URL has longer waits
 * @throws {Error} when an index of the same name differs: an operator has to decide
 */
export async function openMongodb(
  settings: MongoSettings,
  indexes: readonly CollectionIndexes[],
  lifecycle: Lifecycle,
): Promise<MongoStore> {
  const client = createClient(settings);
  measureCommands(client, settings.telemetry);
  const watch = watchClient(client, lifecycle.logger, settings.starvedMs);
  const close = async (): Promise<void> => {
    await watch.stop();
    await client.close();
  };
  lifecycle.onStop('MongoDB', close, CLOSE_WITHIN_MS);
  const db = openDatabase(client, settings.url);
  // With everything that an operation waits for.
  const operationMs = 2 * client.options.waitQueueTimeoutMS;
  const openMs = Math.max(OPEN_WITHIN_MS, 2 * operationMs);
  const run = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    watch.note(within(operationMs, () => work(db)));
  let isSaid = false;
  const whenThere = <T>(work: () => Promise<T>): Promise<T> =>
    retryWhileUnavailable(work, openMs, ({ message: reason }) => {
      if (!isSaid) lifecycle.logger.warn({ reason }, 'MongoDB is unavailable; the start waits for it');
      isSaid = true;
    });
  await whenThere(() => within(operationMs, () => client.connect()));
  watch.start();
  // Listed first, within the usual limits: a start that builds nothing does not wait hours for an answer that was lost.
  const lacking = await whenThere(() => run((opened) => lackingIndexes(opened, indexes)));
  if (lacking.length > 0) await ensureAllIndexes(settings, lacking, lifecycle, openMs);
  const sessions = await whenThere(() => run(hasSessions));
  return {
    db,
    run,
    startSession: () => (sessions ? client.startSession({ causalConsistency: true }) : undefined),
    check: { name: 'MongoDB', check: () => ping(db) },
  };
}

/** Options in code win over those of the URL: `fixed`, but not the defaults, which yield to what the URL has. */
function createClient(
  { url, appName = 'hindsight', telemetry }: MongoSettings,
  fixed: MongoClientOptions = {},
): MongoClient {
  const defaults: MongoClientOptions = {
    appName,
    serverSelectionTimeoutMS: WAIT_MS,
    connectTimeoutMS: WAIT_MS,
    socketTimeoutMS: WAIT_MS,
    maxPoolSize: MAX_CONNECTIONS,
    retryReads: true,
    // The driver does so only if the server has sessions.
    retryWrites: true,
  };
  const written = optionsIn(url);
  const answerMs = Number.parseInt(written.get('sockettimeoutms') ?? '', 10) || 0;
  return new MongoClient(url, {
    ...Object.fromEntries(Object.entries(defaults).filter(([name]) => !written.has(name.toLowerCase()))),
    monitorCommands: telemetry !== undefined,
    // The watch knows a stuck pool by this wait's error, which must come before the operation's own limit.
    waitQueueTimeoutMS: Math.max(WAIT_MS, Math.min(answerMs, LONGEST_WAIT_MS)),
    ...fixed,
  });
}

/** The options in a connection string by their names in lower case: case does not matter there. */
function optionsIn(url: string): ReadonlyMap<string, string> {
  const query = /\?(.*)/.exec(url)?.[1];
  return new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
}

/** The database with the promises of its reads and writes, which the URL cannot weaken: the client's options could. */
function openDatabase(client: MongoClient, url: string): Db {
  return client.db(databaseOf(url), {
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: client.options.waitQueueTimeoutMS },
    readConcern: new ReadConcern('majority'),
    readPreference: 'primary',
  });
}

function measureCommands(client: MongoClient, telemetry: Telemetry | undefined): void {
  const duration = operationDuration(telemetry);
  if (duration === undefined) return;
  const about = ({ commandName, databaseName }: CommandSucceededEvent | CommandFailedEvent) => ({
    'db.system.name': 'mongodb',
    'db.namespace': databaseName,
    'db.operation.name': commandName,
  });
  client.on('commandSucceeded', (event) => duration.record(event.duration / 1000, about(event)));
  client.on('commandFailed', (event) =>
    duration.record(event.duration / 1000, { ...about(event), 'error.type': event.failure.name }),
  );
}

function databaseOf(url: string): string {
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1];
  return named === undefined ? DEFAULT_DATABASE : decodeURIComponent(named);
}

/** By the old name of the command, which every server supports. */
async function hasSessions(db: Db): Promise<boolean> {
  const { logicalSessionTimeoutMinutes: minutes } = await db.command({ isMaster: 1 });
  return typeof minutes === 'number';
}

async function ping(db: Db): Promise<string> {
  await within(CHECK_MS, () => db.command({ ping: 1 }));
  return 'answers';
}

/** Tries again while the server is unavailable, for at most so long at a stretch; longer runs of work do not count. */
function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  withinMs: number,
  onRetry?: (error: Error) => void,
): Promise<T> {
  let deadline = performance.now() + withinMs;
  let begun = 0;
  const attempt = (): Promise<T> => {
    begun = performance.now();
    return work();
  };
  return retry(attempt, {
    pauseMs: () => OPEN_PAUSE_MS,
    onRetry: (error) => onRetry?.(error as Error),
    isTransient(error) {
      const now = performance.now();
      if (now - begun > withinMs) deadline = now + withinMs;
      return error instanceof StoreUnavailable && now <= deadline;
    },
  });
}

/**
 * The server answers once all are built, so the limit for an answer differs: that needs a separate client.
 */
async function ensureAllIndexes(
  settings: MongoSettings,
  indexes: readonly CollectionIndexes[],
  lifecycle: Lifecycle,
  openMs: number,
): Promise<void> {
  const client = createClient(settings, { socketTimeoutMS: BUILD_WITHIN_MS });
  // A search for the server that ends by its own limit is no long run of work.
  const withinMs = Math.max(openMs, 2 * client.options.serverSelectionTimeoutMS);
  lifecycle.onStop('MongoDB (indexes)', () => client.close(), CLOSE_WITHIN_MS);
  try {
    const db = openDatabase(client, settings.url);
    for (const wanted of indexes)
      await retryWhileUnavailable(() => ensureIndexes(db, wanted, lifecycle.logger), withinMs);
  } finally {
    await client.close();
  }
}

async function ensureIndexes(db: Db, wanted: CollectionIndexes, logger: Logger): Promise<void> {
  try {
    await retry(() => buildIndexes(db, wanted, logger), {
      attempts: INDEX_ATTEMPTS,
      pauseMs: (attempt) => INDEX_PAUSE_MS * attempt,
      isTransient: (error) => !(error instanceof StoreUnavailable || isConflict(error)),
    });
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    throw new Error(`the indexes of "${wanted.collection}" could not be built`, { cause: error });
  }
}

async function buildIndexes(
  db: Db,
  { collection, indexes }: CollectionIndexes,
  logger: Logger,
): Promise<void> {
  const say = setInterval(() => {
    logger.info({ collection }, 'an index is being built; the start waits for it');
  }, SAY_EVERY_MS);
  try {
    await within(BUILD_WITHIN_MS, () => db.collection(collection).createIndexes([...indexes]));
  } finally {
    clearInterval(say);
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof MongoServerError && INDEX_CONFLICTS.has(error.code);
}

async function within<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const late = (): Error => new StoreUnavailable('MongoDB', `no answer within ${milliseconds} ms`);
  try {
    return await withDeadline(work(), milliseconds, late);
  } catch (error) {
    throw toStoreError(error);
  }
}
