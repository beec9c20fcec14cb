import { describe, expect, it } from '@jest/globals';
import { readTokenQuery } from './page-questions.ts';

describe('the question of the page of a token', () => {
  it('is about no token, at the latest block, if nothing is asked', () => {
    expect(readTokenQuery({})).toEqual({ question: { token: '', id: '', date: '', block: '' } });
  });

  it('has a token or a search, an id, and one moment', () => {
    expect(readTokenQuery({ token: ' usd ', id: '7', date: '2023-08-26' }).question).toEqual({
      token: 'usd',
      id: '7',
      date: '2023-08-26T00:00',
      block: '',
    });
  });

  it.each([
    [{ token: 'x'.repeat(101) }, 'token', 'expected an address'],
    [{ token: 'usd', id: '-1' }, 'id', 'expected a whole number'],
    [{ token: 'usd', block: 'latest' }, 'block', 'expected a block number'],
    [{ token: 'usd', block: '1', date: '2023-08-26' }, 'block', 'not both'],
    [{ token: ['usd', 'usd'] }, 'token', 'more than once'],
  ])('is refused for %j, with the field', (query, name, words) => {
    const errors = Object.entries(readTokenQuery(query).errors?.fields ?? {});
    expect(errors).toEqual([[name, expect.stringContaining(words)]]);
  });

  it('names an unknown parameter', () => {
    expect(readTokenQuery({ toString: '1' }).errors?.form).toBe(
      'toString: unknown parameter; expected token, id, date or block.',
    );
  });
});
