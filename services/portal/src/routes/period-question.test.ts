import { describe, expect, it } from '@jest/globals';
import { parse } from 'node:querystring';
import { readPeriodQuery } from './page-questions.ts';

const EXAMPLE = { holder: 'alice.eth', from: '2022-01-01T00:00', to: '2023-01-01T00:00' };
const read = (query: string) => readPeriodQuery(parse(query), EXAMPLE);

describe('the question of the page of a wallet over a period', () => {
  it('is the example if nothing is asked', () => {
    expect(read('')).toEqual({ question: EXAMPLE });
    expect(read('holder=&from=&to=')).toEqual({ question: EXAMPLE });
  });

  it.each([
    ['from=17999900&to=18000000', '17999900', '18000000'],
    ['from=2022-01-01&to=2023-01-01T12:00:01Z', '2022-01-01T00:00', '2023-01-01T12:00:01'],
    ['from=17999900&to=2023-08-27', '17999900', '2023-08-27T00:00'],
  ])('takes %s', (ends, from, to) => {
    expect(read(`holder=bob.eth&${ends}`)).toEqual({ question: { holder: 'bob.eth', from, to } });
  });

  it.each([
    ['from=1&to=2', 'holder', 'required'],
    ['holder=bob.eth&to=2', 'from', 'required'],
    ['holder=bob.eth&from=1', 'to', 'required'],
    ['holder=bob.eth&from=last+year&to=2', 'from', 'expected a block number, or a day'],
    ['holder=bob.eth&from=1&to=2x', 'to', 'expected a block number, or a day'],
    ['holder=bob.eth&from=2022-02-30&to=2023-01-01', 'from', 'no such day'],
    ['holder=bob.eth&from=2&to=2', 'to', 'after from'],
    ['holder=bob.eth&from=10&to=9', 'to', 'after from'],
    ['holder=bob.eth&from=2023-01-01&to=2022-01-01', 'to', 'after from'],
    ['holder=bob.eth&from=1&from=2&to=3', 'from', 'more than once'],
  ])('is refused for %s, with the field', (query, name, words) => {
    const errors = Object.entries(read(query).errors?.fields ?? {});
    expect(errors).toEqual([[name, expect.stringContaining(words)]]);
  });

  it.each(['block', '__proto__', 'toString'])('is refused for the unknown parameter %s', (name) => {
    expect(read(`holder=bob.eth&from=1&to=2&${name}=1`).errors?.form).toBe(
      `${name}: unknown parameter; expected holder, from or to.`,
    );
  });
});
