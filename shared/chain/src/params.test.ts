import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dateParam } from './dates/date-param.ts';
import { accountParam } from './params.ts';

const seconds = (iso: string): number => Date.parse(iso) / 1000;
const faultOf = (schema: typeof dateParam | typeof accountParam, value: string): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message;

describe('the parameter date', () => {
  it.each([
    ['2023-08-26', '2023-08-26T00:00:00Z'],
    ['2023-08-26T16:21:35Z', '2023-08-26T16:21:35Z'],
    ['2023-08-26T16:21:35z', '2023-08-26T16:21:35Z'],
    ['2023-08-26t16:21:35z', '2023-08-26T16:21:35Z'],
    ['2023-08-26T16:21', '2023-08-26T16:21:00Z'],
    ['2023-08-26T16:21:35', '2023-08-26T16:21:35Z'],
    ['2023-08-26T16:21:35.999Z', '2023-08-26T16:21:35Z'],
    ['2023-08-26T16:21:35.999999999', '2023-08-26T16:21:35Z'],
    ['2023-08-26T18:21:35+02:00', '2023-08-26T16:21:35Z'],
    ['2023-08-26T18:21:35 02:00', '2023-08-26T16:21:35Z'],
    ['2023-08-26T10:51:35.5-05:30', '2023-08-26T16:21:35Z'],
    ['2023-08-26T16:21Z', '2023-08-26T16:21:00Z'],
    ['2023-08-26T18:21+02:00', '2023-08-26T16:21:00Z'],
    ['2023-08-26T18:21:35+0200', '2023-08-26T16:21:35Z'],
    ['2023-08-26T18:21:35+02', '2023-08-26T16:21:35Z'],
    ['2023-08-26T18:21 0200', '2023-08-26T16:21:00Z'],
    ['2023-08-26T18:21 02', '2023-08-26T16:21:00Z'],
    ['2023-08-26T10:51-0530', '2023-08-26T16:21:00Z'],
    ['2023-08-26T16:21:35,9Z', '2023-08-26T16:21:35Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['1960-01-01', '1960-01-01T00:00:00Z'],
  ])('%s is %s', (value, moment) => {
    expect(dateParam.parse(value)).toBe(seconds(moment));
  });

  it.each([
    '2023-02-29',
    '2023-13-01',
    '2023-00-10',
    '2023-04-31T00:00:00Z',
    '2023-08-26T24:00:00Z',
    '2023-08-26T16:60:00Z',
    '2023-08-26T16:21:60Z',
    '2023-08-26T16:21:35+25:00',
    '2023-08-26T16:21:35+2',
    '2023-08-26T16:21:35+25',
    '2023-08-26T16:21:35+0260',
    '2023-08-26T16Z',
    '2023-08-26 16:21:35',
    '2023-08-26Z',
  ])('%s is refused as no date or time', (value) => {
    expect(faultOf(dateParam, value)).toMatch(
      /^there is no such date or time; expected ISO 8601: 2023-08-26,/,
    );
  });

  it.each([
    '1693066895',
    '26.08.2023',
    'yesterday',
    '20230826',
    '2023-8-26',
    ' ',
    `2023-08-26T16:21:35.${'0'.repeat(99)}Z`,
  ])('%s is refused with what is expected', (value) => {
    expect(faultOf(dateParam, value)).toContain('expected ISO 8601: 2023-08-26');
  });

  it('empty is refused', () => {
    expect(faultOf(dateParam, '')).toMatch(/^it is empty; expected ISO 8601/);
  });

  it('of any second comes back as that second', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2e9, max: 4e9 }), (second) => {
        expect(dateParam.parse(new Date(second * 1000).toISOString())).toBe(second);
      }),
      { seed: 1 },
    );
  });
});

describe('a parameter that means an account', () => {
  it('is an address, in EIP-55', () => {
    const address = '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8';
    expect(accountParam.parse(address.toLowerCase())).toEqual({ address });
  });

  it('is a name when it has a dot', () => {
    expect(accountParam.parse('Alice.eth')).toEqual({ name: 'Alice.eth' });
  });

  it.each(['', 'alice', '0x', '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34CB8'])('%p is refused', (value) => {
    expect(faultOf(accountParam, value)).toBeDefined();
  });

  it('that is neither gets both ways in the message', () => {
    expect(faultOf(accountParam, 'alice')).toMatch(/expected an address .*, or an ENS name$/);
  });
});
