import { describe, expect, it } from '@jest/globals';
import { ALL_OPERATIONS, endpointOf } from './operations.ts';
import { mostUnits, streamUnits, unitsOf } from './units.ts';

/** The most units of a request to an endpoint. */
function most(endpoint: string, query = '', bodyBytes = 0): number {
  const { units } = ALL_OPERATIONS.find((one) => endpointOf(one) === endpoint)!;
  return units === undefined ? 1 : mostUnits(units, query, bodyBytes);
}

describe('what a request may cost', () => {
  it.each<[endpoint: string, query: string, bodyBytes: number, units: number]>([
    ['balance-single', '', 0, 1],
    ['orders-dex-webhook', '', 60_000, 1],
    ['block', '', 0, 1],
    ['allowance-list', 'owner=x', 0, 5],
    ['portfolio', 'holder=x', 0, 5],
    ['balance-series', 'points=2', 0, 1],
    ['balance-series', 'points=101', 0, 11],
    ['balance-series', 'points=9999', 0, 100],
    ['balance-series', 'step=1d', 0, 100],
    ['balance-series', 'from=100&to=109&step=1', 0, 1],
    ['balance-series', 'from=100&to=110&step=1', 0, 2],
    ['balance-series', 'from=17999900&to=18000000&step=10', 0, 2],
    ['balance-series', 'from=100&to=99&step=1', 0, 1],
    ['balance-series', 'from=0&to=999999&step=1', 0, 100],
    ['balance-series', 'from=0&to=5&step=0', 0, 100],
    ['balance-series', 'from=0&to=5&step=1d', 0, 100],
    ['balance-series', 'from=2023-01-01&to=2023-12-31&step=1d', 0, 37],
    ['balance-series', 'from=2023-01-01T00:00:00.000Z&to=2023-01-01T09:00&step=1h', 0, 1],
    ['balance-series', 'from=2023-01-01T00:00:00.900Z&to=2023-01-01T10:00:00.100Z&step=1h', 0, 2],
    ['balance-series', 'from=2023-01-01T00:00:00Z&to=2023-01-01T10:00:00Z&step=1h', 0, 2],
    ['balance-series', 'from=2023-01-31&to=2024-12-01&step=1M', 0, 3],
    ['balance-series', 'from=2023-01-01&to=2023-01-02T00:00:00%2B14:00&step=1h', 0, 100],
    ['balance-series', 'from=2023-01-01&to=18000000&step=1d', 0, 100],
    ['balance-series', 'from=2023-01-01&step=1d', 0, 100],
    ['balance-series', 'from=1&from=2&to=3&step=1', 0, 100],
    ['balance-series', 'points=2&points=900', 0, 100],
    ['balance-changes', 'limit=20', 0, 2],
    ['balance-changes', 'limit=-5', 0, 100],
    ['balance-changes', 'limit=1', 0, 1],
    ['balance-changes', 'limit=1&resolve=once', 0, 1],
    ['balance-changes', 'limit=1&resolve=each', 0, 11],
    ['balance-changes', 'limit=111&resolve=each', 0, 12],
    ['balance-changes', 'resolve=once&resolve=each&limit=1', 0, 11],
    ['token-holders', '', 0, 100],
    ['token-holders', 'limit=101', 0, 2],
    ['token-holders', 'order=balance&limit=1', 0, 1_005],
    ['transfers', '', 0, 10],
    ['transfers', 'limit=101', 0, 2],
    ['orders-single', '', 0, 1],
    ['orders', '', 0, 5],
    ['orders', 'status=open&limit=101', 0, 2],
    ['wallet-changes', 'token_address=0x1,native&limit=11', 0, 4],
    ['wallet-changes', 'limit=11', 0, 20],
    ['balance-batch', '', 0, 1],
    ['balance-batch', '', 300, 1],
    ['balance-batch', '', 303, 2],
    ['balance-batch', '', 1_000_000, 10],
    ['call', '', 1_000_000, 10],
    ['call-series', '', 300, 100],
    ['balance-snapshot', 'token_address=native', 0, 1],
    ['balance-snapshot', 'token_address=native', 200, 1],
    ['balance-snapshot', 'token_address=native', 201, 2],
    ['balance-snapshot', 'token_address=0x1,0x2,native', 201, 6],
    ['balance-snapshot', `token_address=${'0x1,'.repeat(20)}`, 200, 10],
    ['balance-snapshot', 'token_address=native', 64 * 1024 * 1024, 10_000],
    ['balance-snapshot', 'token_address=native&proof=storage', 0, 1],
    ['balance-snapshot', 'token_address=native&proof=storage', 20, 1],
    ['balance-snapshot', 'token_address=native&proof=storage', 21, 2],
    ['balance-snapshot', 'proof=x&proof=storage&token_address=native', 201, 11],
    ['balance-snapshot', 'token_address=native&proof=storage', 64 * 1024 * 1024, 1_000],
  ])('%s?%s with %d bytes: %d', (endpoint, query, bodyBytes, units) => {
    expect(most(endpoint, query, bodyBytes)).toBe(units);
  });

  it('of a stream is never less than what its lines cost', () => {
    for (const lines of [0, 1, 100, 101, 999, 1_000_000])
      expect(streamUnits(lines, { tokens: 3, isProven: false })).toBeLessThanOrEqual(
        most('balance-snapshot', 'token_address=1,2,3', Math.max(lines * 2 - 1, 0)),
      );
  });
});

describe('what a request cost', () => {
  it.each([
    [0, undefined, 1],
    [1, undefined, 1],
    [100, undefined, 1],
    [101, undefined, 2],
    [10, 10, 1],
    [11, 10, 2],
  ])('%d items, %d of them a unit: %d', (items, perUnit, units) => {
    expect(unitsOf(items, perUnit)).toBe(units);
  });
});
