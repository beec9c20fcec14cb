/** Translates errors of MongoDB's driver to those of a store. */
import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoSystemError,
} from 'mongodb';
import { isNativeError } from 'node:util/types';
import { RecordTooLarge } from './too-large.ts';
import { StoreUnavailable } from './unavailable.ts';

/**
 * The error to throw in its place: `StoreUnavailable` if the server was unreachable, did not confirm a write or cannot
 * work at the moment, `RecordTooLarge`, or else the same error: the server refused the operation.
 */
export function toStoreError(error: unknown): unknown {
  const reason = unwrap(error);
  if (isTransient(reason)) return new StoreUnavailable('MongoDB', reason);
  return codesOf(reason).some((code) => TOO_LARGE.has(code)) ? new RecordTooLarge(reason) : error;
}

/** True if a unique index already has the value and, in a bulk write, nothing else failed. */
export function isDuplicate(error: unknown): error is MongoServerError {
  const codes = codesOf(error);
  return codes.length > 0 && codes.every((code) => code === DUPLICATE_KEY) && !isUnconfirmed(error);
}

/** The result of a write; or, where a unique index already has its value, what `instead` returns. */
export async function ifDuplicate<T, U>(write: Promise<T>, instead: () => U | Promise<U>): Promise<T | U> {
  try {
    return await write;
  } catch (error) {
    if (isDuplicate(error)) return instead();
    throw error;
  }
}

/** False where a unique index already has the value of a write. */
export function isWritten(write: Promise<unknown>): Promise<boolean> {
  const done = write.then(() => true);
  return ifDuplicate(done, () => false);
}

/** Unwraps the connection error inside a bulk write's error, which has no code. */
function unwrap(error: unknown): unknown {
  const isWrapped = error instanceof MongoBulkWriteError && isNativeError(error.errorResponse);
  return isWrapped ? error.errorResponse : error;
}

function isTransient(error: unknown): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoSystemError) return true;
  if (!isNativeError(error)) return false;
  // Some socket errors pass through the driver unchanged.
  if ('code' in error && typeof error.code === 'string') return SOCKET_CODES.test(error.code);
  if (UNAVAILABLE_NAMES.has(error.name) || isUnconfirmed(error)) return true;
  if (error instanceof MongoError && TRANSIENT_LABELS.some((label) => error.hasErrorLabel(label)))
    return true;
  return codesOf(error).some((code) => TRANSIENT_CODES.has(code));
}

/** A bulk write that was done, at least in part, but not confirmed by a majority in time. */
function isUnconfirmed(error: unknown): boolean {
  return error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined;
}

/** The server's codes; a bulk write may have several, of which the driver itself reports the first. */
function codesOf(error: unknown): unknown[] {
  if (!(error instanceof MongoServerError)) return [];
  const writes = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [error.code, ...writes.map(({ code }) => code)];
}

const DUPLICATE_KEY = 11_000;

/** Labels by which the server says that the operation may succeed soon, whatever the code. */
const TRANSIENT_LABELS = ['RetryableWriteError', 'SystemOverloadedError'];

/** The pool was emptied after a failure, or had no connection to give; a write was not confirmed in time. */
const UNAVAILABLE_NAMES = new Set([
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoWriteConcernError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoNotConnectedError',
]);

/**
 * Transient errors of a server: the same operation should succeed once it recovers. The names are those of the server's list (https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml).
 */
const TRANSIENT_CODES = new Set<unknown>([
  6, // HostUnreachable: a shard, from mongos
  7, // HostNotFound: the same
  13, // Unauthorized: the user's rights have changed
  18, // AuthenticationFailed: the password has changed
  50, // MaxTimeMSExpired: also a limit that the server sets by default
  64, // WriteConcernTimeout
  89, // NetworkTimeout: a shard, from mongos
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern: too few members of the replica set are up
  112, // WriteConflict
  133, // FailedToSatisfyReadPreference: a shard without a primary, from mongos
  134, // ReadConcernMajorityNotAvailableYet: after a start
  175, // QueryPlanKilled: an index was built or dropped during the query
  189, // PrimarySteppedDown
  237, // CursorKilled
  262, // ExceededTimeLimit
  365, // TemporarilyUnavailable
  391, // ReauthenticationRequired
  462, // IngressRequestRateLimitExceeded: the server is overloaded
  9_001, // SocketException: between servers
  10_058, // LegacyNotPrimary
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_601, // Interrupted: by an operator, or a step-down
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
  14_031, // OutOfDiskSpace
]);

/**
 * BSONObjectTooLarge; older servers, and updates that make a document too large, have numbers without a name
 * (`Resulting document after update is larger than 16777216`).
 */
const TOO_LARGE = new Set<unknown>([10_334, 17_419, 17_420]);

const SOCKET_CODES =
  /^(EPIPE|ECONN\w+|ETIMEDOUT|EHOST\w+|ENET\w+|ENOTFOUND|EAI_\w+|ERR_STREAM_\w+|ERR_SOCKET_\w+)$/;
