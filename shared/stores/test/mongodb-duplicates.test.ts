import { expect, it } from '@jest/globals';
import { MongoBulkWriteError, MongoServerError, type BulkWriteResult } from 'mongodb';
import { ifDuplicate, isDuplicate, isWritten } from '../src/mongodb-errors.ts';

/** The error of a batch as the driver makes it: its code is that of the first failed write. */
function batchError(codes: readonly number[], concern?: object): MongoBulkWriteError {
  const writeErrors = codes.map((code, index) => ({ code, index, errmsg: `code ${code}` }));
  const error = { message: 'a batch failed', code: Number(codes[0]), writeErrors: writeErrors as never };
  return new MongoBulkWriteError(error, { getWriteConcernError: () => concern } as BulkWriteResult);
}

it.each([
  ['one write', new MongoServerError({ message: 'E11000', code: 11_000 }), true],
  ['one write with another fault', new MongoServerError({ message: 'invalid', code: 121 }), false],
  ['every failed write of a batch', batchError([11_000, 11_000]), true],
  ['some failed writes of a batch', batchError([11_000, 121, 11_000]), false],
  ['a batch that was not confirmed', batchError([11_000], { code: 64 }), false],
])('duplicates: %s', (_what, error, expected) => {
  expect(isDuplicate(error)).toBe(expected);
});

it('a write that repeats a unique value is answered in its place, and any other fault stays one', async () => {
  const duplicate = new MongoServerError({ message: 'E11000', code: 11_000 });
  const other = new MongoServerError({ message: 'invalid', code: 121 });
  expect(await ifDuplicate(Promise.reject(duplicate), () => 'there')).toBe('there');
  expect(await ifDuplicate(Promise.resolve('new'), () => 'there')).toBe('new');
  expect([await isWritten(Promise.resolve()), await isWritten(Promise.reject(duplicate))]).toEqual([
    true,
    false,
  ]);
  await expect(isWritten(Promise.reject(other))).rejects.toBe(other);
});
