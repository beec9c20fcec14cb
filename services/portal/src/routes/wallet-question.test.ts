import { describe, expect, it } from '@jest/globals';
import { parse } from 'node:querystring';
import { readWalletQuery } from './page-questions.ts';

const FIRST = { holder: 'alice.eth', block: '18000000', date: '' };
const read = (query: string) => readWalletQuery(parse(query), FIRST);

describe('the question of the wallet page', () => {
  it('is the first example if nothing is asked', () => {
    expect(read('')).toEqual({ question: FIRST });
    expect(read('holder=&date=&block=')).toEqual({ question: FIRST });
  });

  it('has the block of the first example if no moment is given', () => {
    expect(read('holder=bob.eth').question).toEqual({ holder: 'bob.eth', block: '18000000', date: '' });
  });

  it.each([
    ['2023-08-26T16:21', '2023-08-26T16:21'],
    ['2023-08-26T16:21:35', '2023-08-26T16:21:35'],
    ['2023-08-26T16:00:00Z', '2023-08-26T16:00:00'],
    ['2023-08-26T16:00:00.000Z', '2023-08-26T16:00:00'],
    ['2023-08-26', '2023-08-26T00:00'],
  ])('takes the date %s', (date, expected) => {
    expect(read(`holder=bob.eth&date=${date}`)).toEqual({
      question: { holder: 'bob.eth', block: '', date: expected },
    });
  });

  it.each([
    ['holder=bob.eth&date=yesterday', 'date', 'expected a UTC time'],
    ['holder=bob.eth&date=2023-02-30', 'date', 'no such day'],
    ['holder=bob.eth&date=2023-08-26T24:30', 'date', 'no such day'],
    ['holder=bob.eth&date=2023-08-26T16:00%2B02:00', 'date', 'expected a UTC time'],
    ['holder=bob.eth&block=latest', 'block', 'expected a block number'],
    ['holder=bob.eth&block=1&block=2', 'block', 'more than once'],
    ['holder=bob.eth&block=1&date=2023-08-26', 'block', 'not both'],
    [`holder=${'a'.repeat(261)}`, 'holder', 'expected an address'],
    ['block=1', 'holder', 'required'],
  ])('is refused for %s, with the field', (query, name, words) => {
    const errors = Object.entries(read(query).errors?.fields ?? {});
    expect(errors).toEqual([[name, expect.stringContaining(words)]]);
  });

  it.each(['blok', '__proto__', 'toString'])('is refused for the unknown parameter %s', (name) => {
    expect(read(`holder=bob.eth&${name}=1`).errors?.form).toBe(
      `${name}: unknown parameter; expected holder, date or block.`,
    );
  });
});
