/**
 * What an error of MongoDB means to us. The errors are made by hand, as the driver makes them of a server's answer: the
 * server that tests can start knows no users, no full disk and no limit of a document's size.
 */
import { describe, expect, it } from '@jest/globals';
import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  type BulkWriteResult,
} from 'mongodb';
import { toStoreError } from './mongodb-errors.ts';

/** An answer that says no, and the error of a bulk write of which one write failed so. */
const answered = (code: number, codeName: string) =>
  new MongoServerError({ ok: 0, code, codeName, errmsg: codeName });
function bulk(...codes: number[]): MongoBulkWriteError {
  const writeErrors = codes.map((code, index) => ({ code, index, errmsg: `code ${code}` }));
  const [first] = writeErrors;
  return new MongoBulkWriteError(
    { message: String(first?.errmsg), code: Number(first?.code), writeErrors: writeErrors as never },
    { insertedCount: 0 } as BulkWriteResult,
  );
}

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
    [133, 'FailedToSatisfyReadPreference'],
    [134, 'ReadConcernMajorityNotAvailableYet'],
    [189, 'PrimarySteppedDown'],
    [262, 'ExceededTimeLimit'],
    [391, 'ReauthenticationRequired'],
    [462, 'IngressRequestRateLimitExceeded'],
    [9_001, 'SocketException'],
    [10_107, 'NotWritablePrimary'],
    [11_600, 'InterruptedAtShutdown'],
    [14_031, 'OutOfDiskSpace'],
  ])('with code %i (%s) says that it is not available, also for a part of a bulk write', (code, codeName) => {
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
  ])('with code %i (%s) says that the record has grown too large', (code, codeName) => {
    const error = answered(code, codeName);
    expect(toStoreError(error)).toMatchObject({ name: 'RecordTooLarge', cause: error });
    expect(toStoreError(bulk(code))).toMatchObject({ name: 'RecordTooLarge' });
  });

  it('says first that it is not available: what is too large may be seen when it is back', () => {
    expect(toStoreError(bulk(17_419, 14_031))).toMatchObject({ name: 'StoreUnavailable' });
  });

  it.each([
    ['a refusal', answered(2, 'BadValue')],
    ['a duplicate', answered(11_000, 'DuplicateKey')],
    ['duplicates', bulk(11_000, 11_000)],
    ['what is no error of MongoDB', new TypeError('a mistake of ours')],
    ['what is no error', 'a word'],
  ])('is passed on as it is: %s', (_, error) => {
    expect(toStoreError(error)).toBe(error);
  });
});

it.each([
  ['the network', new MongoNetworkError('connection 1 to 127.0.0.1:1 closed')],
  ['a server that is not found', new MongoServerSelectionError('no server', {} as never)],
  ['a socket', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
])('an error of %s says that MongoDB is not available', (_, error) => {
  expect(toStoreError(error)).toMatchObject({ name: 'StoreUnavailable', cause: error });
});
