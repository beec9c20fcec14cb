/** The error object of a node may hold anything: a kind, a short text and the data of a revert are taken from it. */
import { describe, expect, it } from '@jest/globals';
import { fromRpcError } from './node-error.ts';

const REVERT = `0x08c379a0${'00'.repeat(32)}`;
const told = (error: unknown, secrets?: readonly string[]) => fromRpcError('a node', error, secrets);
const dataOf = (data: unknown): string | undefined =>
  told({ code: 3, message: 'execution reverted', data }).details.data;

it.each([
  ['nothing', null, 'a node answered 0: an error without a message'],
  ['a text', 'too many requests', 'a node answered 0: too many requests'],
  ['no message', { code: 5 }, 'a node answered 5: an error without a message'],
  ['a code as a text', { code: '-32000', message: 'no' }, 'a node answered -32000: no'],
  ['a code that is no number', { code: 'E1', message: 'no' }, 'a node answered 0: no'],
  ['a code beyond all numbers', { code: 2 ** 60, message: 'no' }, 'a node answered 0: no'],
])('an error of %s has a message and a code', (_what, error, message) => {
  expect(told(error).message).toBe(message);
});

it('a message is quoted on one line, shortly, and without what may be a key', () => {
  const message = 'no\r\n\u0000access: https://node.example/v3/abc?key=x, wss://other "k-e-y" k-e-y';
  expect(told({ code: 1, message }, ['k-e-y']).message).toBe(
    'a node answered 1: no access: [url] [url] "[redacted]" [redacted]',
  );
  const long = told({ code: 1, message: 'x'.repeat(5_000) });
  expect(long.message).toBe(`a node answered 1: ${'x'.repeat(300)}`);
  expect(long.details.textLength).toBe(5_000);
});

it('a message is searched for its kind as far as 2,000 characters', () => {
  const words = 'missing trie node';
  expect(told({ code: -32_000, message: `${'.'.repeat(1_900)} ${words}` }).kind).toBe('missing-state');
  expect(told({ code: -32_000, message: `${'.'.repeat(2_000)} ${words}` }).kind).toBe('refused');
});

describe('the data of a revert', () => {
  it('is found where nodes put it', () => {
    expect(dataOf(REVERT)).toBe(REVERT);
    expect(dataOf(`Reverted ${REVERT}`)).toBe(REVERT);
    expect(dataOf({ data: REVERT })).toBe(REVERT);
    expect(dataOf({ '0xhash': { return: REVERT } })).toBe(REVERT);
    expect(dataOf({ originalError: { data: REVERT } })).toBe(REVERT);
    expect(dataOf('no such state')).toBe('no such state');
  });

  it('is looked for in fields of its names, not too deep, and not in too many', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, at]));
    expect(dataOf({ hash: REVERT })).toBeUndefined();
    expect(dataOf({ a: { b: { c: { data: REVERT } } } })).toBeUndefined();
    expect(dataOf({ a: { b: { data: REVERT } } })).toBe(REVERT);
    expect(dataOf({ ...fields(15), data: REVERT })).toBe(REVERT);
    expect(dataOf({ ...fields(16), data: REVERT })).toBeUndefined();
    expect(dataOf(null)).toBeUndefined();
  });
});
