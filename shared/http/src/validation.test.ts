import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { faultOf, parseQuery, parseWith } from './validation.ts';

const schema = z.strictObject({
  month: z.string().optional(),
  token: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ type: 'array' }),
});

describe('a query', () => {
  it('is read by its schema; a list may be repeated', () => {
    expect(parseQuery(schema, 'month=2026-11&token=a&token=b&token=c')).toEqual({
      month: '2026-11',
      token: ['a', 'b', 'c'],
    });
    expect(parseQuery(schema, '')).toEqual({});
  });

  it.each([
    ['month=1&month=2', 'month: given more than once; expected once', 'repeated_parameter'],
    ['x=1&x=2&x=3', 'x: given more than once; expected once', 'repeated_parameter'],
    [
      `${'x'.repeat(90)}=1&${'x'.repeat(90)}=2`,
      `${'x'.repeat(60)}…: given more than once; expected once`,
      'repeated_parameter',
    ],
    ['mont=1', 'unknown parameter mont; did you mean month?', 'unknown_parameter'],
    ['constructor=1', 'unknown parameter constructor; known: month, token', 'unknown_parameter'],
  ])('is refused: %s', (query, message, code) => {
    expect(() => parseQuery(schema, query)).toThrow(expect.objectContaining({ message, code }));
  });
});

describe('a body', () => {
  const body = z.strictObject({
    token: z.string(),
    rows: z.array(z.strictObject({ date: z.string().optional(), balance: z.string() })).optional(),
    more: z.record(z.string(), z.strictObject({ a: z.string() })).optional(),
  });

  it.each<[unknown, string, string]>([
    [null, 'body: it is empty; expected a JSON object', 'invalid_body'],
    [[], 'body: expected a JSON object', 'invalid_parameter'],
    ['x', 'body: expected a JSON object', 'invalid_parameter'],
    [{ token: 'a', rows: 'x' }, 'rows: Invalid input: expected array, received string', 'invalid_parameter'],
    [{ token: 'a', row: [] }, 'unknown parameter row; did you mean rows?', 'unknown_parameter'],
    [
      { token: 'a', rows: [{ balance: '1' }, { balance: '1', dates: '2' }] },
      'rows.1: unknown parameter dates; did you mean date?',
      'unknown_parameter',
    ],
    [
      { token: 'a', rows: [{ balance: '1', token: 'a' }] },
      'rows.0: unknown parameter token; known: date, balance',
      'unknown_parameter',
    ],
    [{ token: 'a', more: { x: { a: '1', b: '2' } } }, 'more.x: unknown parameter b', 'unknown_parameter'],
  ])('is refused: %j', (value, message, code) => {
    expect(parseWith(body, value)).toMatchObject({ error: { message, code } });
  });
});

it('a name is compared with those that are as short as names are', () => {
  const long = 'a'.repeat(70);
  const known = z.strictObject({ [long]: z.string().optional() });
  expect(() => parseQuery(known, `${long.slice(1)}=1`)).toThrow(`; known: ${long}`);
  expect(() => parseQuery(z.strictObject({}), 'a=1')).toThrow('unknown parameter a; expected none');
});

it('a schema has its own words for what is no object, and its own code for a fault', () => {
  const worded = parseWith(z.object({}, 'expected a row'), []);
  expect(worded).toMatchObject({ error: { message: 'expected a row', code: 'invalid_parameter' } });
  const params = faultOf('unknown_network');
  const coded = z.string().superRefine((_, context) => {
    context.addIssue({ code: 'custom', message: 'There is no such network.', params });
  });
  expect(parseWith(z.object({ network: coded }), { network: 'x' })).toMatchObject({
    error: { message: 'There is no such network.', code: 'unknown_network' },
  });
});
