import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { parseQuery } from './validation.ts';

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
