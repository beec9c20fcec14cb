import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { readCredentials } from './credentials.ts';

const PATH = '/v1/eth-mainnet/balance/native';
const SPELLINGS = ['projectId', 'project%49d', '%70%72%6F%6a%65%63%74%49%64', '%70%72%6f%6A%65%63%74%49%64'];

afterEach(() => void jest.restoreAllMocks());

describe('a key in the query', () => {
  it.each(SPELLINGS)('is found under any spelling of its name: %s', (name) => {
    expect(readCredentials(`${PATH}?a=1&${name}=hs_%61&b=%202`, undefined)).toEqual({
      key: 'hs_a',
      url: `${PATH}?a=1&b=%202`,
    });
    expect(readCredentials(`${PATH}?${name}`, undefined)).toEqual({ key: '', url: PATH });
  });

  it('is not found under any other name', () => {
    const piece = fc.oneof(
      fc.constantFrom(...SPELLINGS, 'ProjectId', 'projectid', '%', '%4', '%zz', '%49', '+', '=', '%50', 'x'),
      fc.string({ maxLength: 3 }).map((text) => text.replaceAll(/[?&#]/g, '')),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
        const pair = pieces.join('');
        const [name = ''] = pair.split('=', 1);
        const isKey = decoded(name) === 'projectId';
        const { key, url } = readCredentials(`${PATH}?${pair}`, undefined);
        expect([key !== undefined, url]).toEqual([isKey, isKey ? PATH : `${PATH}?${pair}`]);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
});

describe('a query of 16 KB', () => {
  it('is not decoded part by part: each malformed escape would throw, before any key is checked', () => {
    const decode = jest.spyOn(globalThis, 'decodeURIComponent');
    for (const query of ['%&'.repeat(7_900), '%=&'.repeat(99), `projectId=${'%'.repeat(16_000)}`]) {
      try {
        readCredentials(`${PATH}?${query}`, undefined);
      } catch {
        // Refused is fine.
      }
    }
    expect(decode.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it('is a 400 when it has more than 100 parameters', () => {
    const query = (count: number): string => Array.from({ length: count }, (_, i) => `p${i}=%`).join('&');
    expect(readCredentials(`${PATH}?${query(100)}`, 'k')).toEqual({ key: 'k', url: `${PATH}?${query(100)}` });
    expect(() => readCredentials(`${PATH}?${query(101)}`, 'k')).toThrow('too many parameters');
  });
});

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
