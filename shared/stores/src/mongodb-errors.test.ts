/**
 * Translation of MongoDB's errors. They are constructed as the driver makes them from a server's answer: the server
 * that tests can start has no users, no full disk and no limit on the size of a document.
 */
import { describe, expect, it } from '@jest/globals';
import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  type BulkWriteResult,
} from 'mongodb';
import { createRequire } from 'node:module';
import { ifDuplicate, isDuplicate, isWritten, toStoreError } from './mongodb-errors.ts';

/** A refusal, and the error of a bulk write in which one write failed so. */
const answered = (code: number, codeName: string) =>
  new MongoServerError({ ok: 0, code, codeName, errmsg: codeName });
function bulk(...codes: number[]): MongoBulkWriteError {
  const writeErrors = codes.map((code, index) => ({ code, index, errmsg: `code ${code}` }));
  const [first] = writeErrors;
  return new MongoBulkWriteError(
    { message: String(first?.errmsg), code: Number(first?.code), writeErrors: writeErrors as never },
    WRITTEN,
  );
}

/** A bulk write that ended with this error of the driver, as `executeCommands` of its bulk/common.ts wraps it. */
const wrapped = (error: Error) => new MongoBulkWriteError(error, WRITTEN);
const WRITTEN = { insertedCount: 0, getWriteConcernError: () => undefined } as unknown as BulkWriteResult;
// The driver does not export it; it creates it when a write was not confirmed.
const { WriteConcernError } = createRequire(import.meta.url)('mongodb/lib/bulk/common.js') as {
  WriteConcernError: new (answer: { code: number; errmsg: string }) => Error;
};
/** The server wrote but could not confirm it: as the driver's `handleWriteError` makes it. */
function unconfirmed(code: number, ...writes: number[]): MongoBulkWriteError {
  const error = new WriteConcernError({ code, errmsg: 'waiting for replication timed out' });
  const result = { insertedCount: 1, getWriteConcernError: () => error } as unknown as BulkWriteResult;
  if (writes.length === 0) return new MongoBulkWriteError(error, result);
  const writeErrors = writes.map((code, index) => ({ code, index, errmsg: `code ${code}` }));
  const [first] = writes;
  return new MongoBulkWriteError(
    { message: 'a write failed', code: Number(first), writeErrors: writeErrors as never },
    result,
  );
}
function labelled(error: MongoServerError, label: string): MongoServerError {
  error.addErrorLabel(label);
  return error;
}

/** The driver does not export some of its errors. */
const namedLike = (name: string) => Object.defineProperty(new Error(name), 'name', { value: name });

describe('a bulk write', () => {
  it.each([
    ['lost its connection', wrapped(new MongoNetworkError('connection 1 to 127.0.0.1:1 closed'))],
    ['was not answered in time', wrapped(new MongoNetworkTimeoutError('connection 1 timed out'))],
    ['found no server', wrapped(new MongoServerSelectionError('no server', {} as never))],
    ['found the pool emptied', wrapped(namedLike('MongoPoolClearedError'))],
    ['found the server stepping down', wrapped(answered(189, 'PrimarySteppedDown'))],
    ['was not confirmed', unconfirmed(64)],
    ['was not confirmed, for whatever reason', unconfirmed(79)],
    ['was not confirmed, and had duplicates', unconfirmed(64, 11_000)],
  ])('that %s is a StoreUnavailable', (_, error) => {
    expect(toStoreError(error)).toMatchObject({ name: 'StoreUnavailable' });
    expect(isDuplicate(error)).toBe(false);
  });

  it('keeps as its cause why it had no connection: the watch on the driver looks for that', () => {
    const cause = namedLike('MongoWaitQueueTimeoutError');
    expect(toStoreError(wrapped(cause))).toMatchObject({ name: 'StoreUnavailable', cause });
  });

  it('counts as a duplicate only if nothing else failed in it', () => {
    expect(isDuplicate(bulk(11_000, 11_000))).toBe(true);
    expect(isDuplicate(bulk(11_000, 2))).toBe(false);
    expect(isDuplicate(bulk(2, 11_000))).toBe(false);
    expect(isDuplicate(answered(11_000, 'DuplicateKey'))).toBe(true);
    expect(isDuplicate(new Error('none of the server'))).toBe(false);
    // The driver may report the one failure of a bulk write without a list.
    const [one] = bulk(11_000, 2).writeErrors as never[];
    const alone = new MongoBulkWriteError({ message: '', code: 11_000, writeErrors: one! }, WRITTEN);
    expect(isDuplicate(alone)).toBe(true);
  });

  it('says what is done instead of a duplicate, and passes any other failure on', async () => {
    const fails = (code: number) => Promise.reject(answered(code, 'no'));
    expect(await ifDuplicate(fails(11_000), () => 'instead')).toBe('instead');
    await expect(ifDuplicate(fails(2), () => 'instead')).rejects.toMatchObject({ code: 2 });
    expect([await isWritten(Promise.resolve()), await isWritten(fails(11_000))]).toEqual([true, false]);
  });
});

it.each(['RetryableWriteError', 'SystemOverloadedError'])('an answer labelled %s is transient', (label) => {
  const error = labelled(answered(999_999, 'of a server to come'), label);
  expect(toStoreError(error)).toMatchObject({ name: 'StoreUnavailable', cause: error });
});

describe('an answer of MongoDB', () => {
  it.each([
    [6, 'HostUnreachable'],
    [7, 'HostNotFound'],
    [13, 'Unauthorized'],
    [18, 'AuthenticationFailed'],
    [50, 'MaxTimeMSExpired'],
    [64, 'WriteConcernTimeout'],
    [89, 'NetworkTimeout'],
    [91, 'ShutdownInProgress'],
    [100, 'UnsatisfiableWriteConcern'],
    [112, 'WriteConflict'],
    [133, 'FailedToSatisfyReadPreference'],
    [134, 'ReadConcernMajorityNotAvailableYet'],
    [175, 'QueryPlanKilled'],
    [189, 'PrimarySteppedDown'],
    [237, 'CursorKilled'],
    [262, 'ExceededTimeLimit'],
    [365, 'TemporarilyUnavailable'],
    [391, 'ReauthenticationRequired'],
    [462, 'IngressRequestRateLimitExceeded'],
    [9_001, 'SocketException'],
    [10_058, 'LegacyNotPrimary'],
    [10_107, 'NotWritablePrimary'],
    [11_600, 'InterruptedAtShutdown'],
    [11_601, 'Interrupted'],
    [11_602, 'InterruptedDueToReplStateChange'],
    [13_435, 'NotPrimaryNoSecondaryOk'],
    [13_436, 'NotPrimaryOrSecondary'],
    [14_031, 'OutOfDiskSpace'],
  ])('with code %i (%s) is a StoreUnavailable, also in a part of a bulk write', (code, codeName) => {
    const error = answered(code, codeName);
    expect(toStoreError(error)).toMatchObject({
      name: 'StoreUnavailable',
      message: `MongoDB is not available: ${codeName}`,
      cause: error,
    });
    expect(toStoreError(bulk(11_000, code))).toMatchObject({ name: 'StoreUnavailable' });
  });

  it.each([
    [10_334, 'BSONObjectTooLarge'],
    [17_419, 'Location17419'],
    [17_420, 'Location17420'],
  ])('with code %i (%s) is a RecordTooLarge', (code, codeName) => {
    const error = answered(code, codeName);
    expect(toStoreError(error)).toMatchObject({ name: 'RecordTooLarge', cause: error });
    expect(toStoreError(bulk(code))).toMatchObject({ name: 'RecordTooLarge' });
  });

  it('is a StoreUnavailable if that is among its codes: what is too large shows on the retry', () => {
    expect(toStoreError(bulk(17_419, 14_031))).toMatchObject({ name: 'StoreUnavailable' });
  });

  it.each([
    ['a refusal', answered(2, 'BadValue')],
    ['a duplicate', answered(11_000, 'DuplicateKey')],
    ['duplicates', bulk(11_000, 11_000)],
    ['what is no error of MongoDB', new TypeError('a mistake of ours')],
    ['a mistake that has a code', Object.assign(new TypeError(), { code: 'ERR_INVALID_ARG_TYPE' })],
    ['what is no error', 'a word'],
  ])('is passed on unchanged: %s', (_, error) => {
    expect(toStoreError(error)).toBe(error);
  });
});

it.each([
  ['the network', new MongoNetworkError('connection 1 to 127.0.0.1:1 closed')],
  ['server selection', new MongoServerSelectionError('no server', {} as never)],
  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'].map(
    (code): [string, Error] => [`a socket, ${code}`, Object.assign(new Error(code), { code })],
  ),
  ...[
    ...['PoolCleared', 'PoolClosed', 'WaitQueueTimeout', 'WriteConcern', 'TopologyClosed', 'ClientClosed'],
    'NotConnected',
  ].map((name): [string, Error] => [`the driver, ${name}`, namedLike(`Mongo${name}Error`)]),
])('an error of %s is a StoreUnavailable', (_, error) => {
  expect(toStoreError(error)).toMatchObject({ name: 'StoreUnavailable', cause: error });
});
