/** Opens MongoDB: bounded waits, writes that a majority has on disk, and indexes declared as data. */
import { type Db, type IndexDescription, MongoBulkWriteError, MongoClient, MongoServerError } from 'mongodb';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadinessCheck } from '../http/health.ts';
import type { Lifecycle } from '../lifecycle.ts';
import { told } from './mongodb-errors.ts';
import { watchClient } from './mongodb-watch.ts';
import { StoreUnavailable } from './unavailable.ts';

/** A collection and the indexes that it must have. Released index definitions are not edited: a new one gets a new name. */
export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly (IndexDescription & { readonly name: string })[];
}

/** An open database. */
export interface MongoStore {
  readonly db: Db;
  /**
   * Runs work against `db`, within the operation limit.
   * @throws {StoreUnavailable} when MongoDB is away, too slow, or cannot work at the moment
   * @throws {RecordTooLarge}
   */
  run<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** For `/readyz`: the server answers. */
  readonly check: ReadinessCheck;
}

interface MongoSettings {
  /** `MONGODB_URL`; the database is the one that it names, or else `hindsight`. */
  readonly url: string;
  /** Told to the server, for its own logs. */
  readonly appName?: string;
}

const DEFAULT_DATABASE = 'hindsight';
/** The longest that any of the driver's waits lasts: for a server, a connection, a place in the pool, an answer. */
const WAIT_MS = 2_000;
/** The longest that one operation lasts with everything it waits for. */
const OPERATION_MS = 4_000;
const CHECK_MS = 1_000;
const MAX_CONNECTIONS = 50;

/** How often, and how far apart, indexes are tried again that another process is making at the same moment. */
const INDEX_ATTEMPTS = 5;
const INDEX_PAUSE_MS = 200;
/** So long a start waits for a server that is not there yet, or too busy with the starts of others. */
const OPEN_WITHIN_MS = 10_000;
const OPEN_PAUSE_MS = 200;

/** The server's code for a value that a unique index has already. */
const DUPLICATE = 11_000;
/** The server's codes for "it is another than the one you asked for". */
const INDEX_CONFLICTS = new Set<unknown>([85, 86]);

/**
 * Opens the database and makes missing indexes. Several processes may do so at once.
 * @throws {StoreUnavailable} when the server is not there, or does not let us in, within 10 s
 * @throws {Error} when an index of the same name differs: an operator has to decide
 */
export async function openMongodb(
  settings: MongoSettings,
  indexes: readonly CollectionIndexes[],
  lifecycle: Lifecycle,
): Promise<MongoStore> {
  const client = new MongoClient(settings.url, {
    appName: settings.appName ?? 'hindsight',
    serverSelectionTimeoutMS: WAIT_MS,
    connectTimeoutMS: WAIT_MS,
    socketTimeoutMS: WAIT_MS,
    waitQueueTimeoutMS: WAIT_MS,
    maxPoolSize: MAX_CONNECTIONS,
    retryReads: true,
    // The driver does so only where the server has sessions.
    retryWrites: true,
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: WAIT_MS },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
  const watch = watchClient(client, lifecycle.logger);
  lifecycle.onStop('MongoDB', async () => {
    await watch.stop();
    await client.close();
  });
  const db = client.db(databaseOf(settings.url));
  const run = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    watch.note(within(OPERATION_MS, () => work(db)));
  const deadline = performance.now() + OPEN_WITHIN_MS;
  await patiently(deadline, () => within(OPERATION_MS, () => client.connect()));
  watch.start();
  for (const wanted of indexes) await patiently(deadline, () => ensureIndexes(run, wanted));
  return { db, run, check: { name: 'MongoDB', check: () => ping(db) } };
}

/** The database that a connection string names. */
function databaseOf(url: string): string {
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1];
  return named === undefined ? DEFAULT_DATABASE : decodeURIComponent(named);
}

async function ping(db: Db): Promise<string> {
  await within(CHECK_MS, () => db.command({ ping: 1 }));
  return 'answers';
}

/** Whether a unique index has the value already; of several writes, whether that is all that went wrong. */
export function isDuplicate(error: unknown): error is MongoServerError {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE) return false;
  // The driver reports the first error of a batch as its code.
  if (!(error instanceof MongoBulkWriteError)) return true;
  const isConfirmed = error.result.getWriteConcernError() === undefined;
  return isConfirmed && [error.writeErrors].flat().every(({ code }) => code === DUPLICATE);
}

/** Again while the server is away or too slow, until the deadline. */
async function patiently(deadline: number, work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() > deadline) throw error;
      await sleep(OPEN_PAUSE_MS);
    }
  }
}

async function ensureIndexes(run: MongoStore['run'], wanted: CollectionIndexes): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await run((db) => db.collection(wanted.collection).createIndexes([...wanted.indexes]));
      return;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      if (isConflict(error) || attempt === INDEX_ATTEMPTS) {
        throw new Error(`the indexes of "${wanted.collection}" could not be made`, { cause: error });
      }
      await sleep(INDEX_PAUSE_MS * attempt);
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof MongoServerError && INDEX_CONFLICTS.has(error.code);
}

async function within<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new StoreUnavailable('MongoDB', `no answer within ${milliseconds} ms`));
    }, milliseconds);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    throw told(error);
  } finally {
    clearTimeout(timer);
  }
}
