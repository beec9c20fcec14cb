import { describe, expect, it } from '@jest/globals';
import { csvOf, monthsShown, rowsOf, totalsOf } from './breakdown.ts';

const usage = {
  days: { '2026-11-02': { token: 5 }, '2026-11-01': { token: 1, 'balance-single': 3 } },
  statuses: { '2026-11-02': { 200: 4, 404: 1 }, '2026-11-01': { 200: 1 } },
  keys: { '2026-11-02': { k1: 2, default: 1 } },
};

describe('a month by what it was used for', () => {
  it('has rows in the order of days, the most used first, that add up to the days', () => {
    expect(csvOf(rowsOf(usage, 'day'), 'day')).toBe('date,requests\r\n2026-11-01,4\r\n2026-11-02,5\r\n');
    expect(csvOf(rowsOf(usage, 'endpoint'), 'endpoint')).toBe(
      'date,endpoint,requests\r\n2026-11-01,balance-single,3\r\n2026-11-01,token,1\r\n2026-11-02,token,5\r\n',
    );
  });

  it('has what earlier versions counted under an alias with its operation, and names that no operation has', () => {
    const days = { '2026-11-01': { tokens: 2, token: 3, 'tokens-single': 4, 'no-longer-there': 1 } };
    expect(rowsOf({ days }, 'endpoint').map(({ name, requests }) => [name, requests])).toEqual([
      ['token', 5],
      ['token-single', 4],
      ['no-longer-there', 1],
    ]);
  });

  it('names what earlier versions did not record: no status, and the key that a project had', () => {
    expect(csvOf(rowsOf(usage, 'status'), 'status')).toBe(
      'date,status,requests\r\n2026-11-01,,3\r\n2026-11-01,200,1\r\n2026-11-02,200,4\r\n2026-11-02,404,1\r\n',
    );
    expect(totalsOf(rowsOf(usage, 'key'))).toEqual([
      { name: 'default', requests: 7 },
      { name: 'k1', requests: 2 },
    ]);
    expect(rowsOf({ days: {} }, 'key')).toEqual([]);
  });

  it('has names that were used as often in their order, and totals with the most used first', () => {
    const days = { '2026-11-01': { zeta: 2, alpha: 2, beta: 3 }, '2026-11-02': { alpha: 9 } };
    const rows = rowsOf({ days }, 'endpoint');
    expect(rows.map(({ name }) => name)).toEqual(['beta', 'alpha', 'zeta', 'alpha']);
    expect(totalsOf(rows).map(({ name, requests }) => [name, requests])).toEqual([
      ['alpha', 11],
      ['beta', 3],
      ['zeta', 2],
    ]);
  });

  it('is shown for three months, over the turn of a year too', () => {
    expect(monthsShown(Date.UTC(2027, 0, 31, 23))).toEqual(['2027-01', '2026-12', '2026-11']);
  });
});
