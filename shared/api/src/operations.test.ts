import { describe, expect, it } from '@jest/globals';
import { ALL_OPERATIONS, endpointOf, isStreamed, OPERATIONS, pathsOf, shownEndpoint } from './operations.ts';

/** The values that occur more than once. */
const repeated = (values: readonly string[]): string[] =>
  values.filter((value, at) => values.indexOf(value) < at);

describe('the operations', () => {
  it('have their ids, and share no path and no name in counted usage', () => {
    for (const [id, operation] of Object.entries(OPERATIONS)) expect(operation.operationId).toBe(id);
    const routes = ALL_OPERATIONS.flatMap((one) => pathsOf(one).map((path) => `${one.method} ${path}`));
    expect(repeated(routes)).toEqual([]);
    expect(repeated(ALL_OPERATIONS.map(endpointOf))).toEqual([]);
  });

  it('have names without version and network, under an alias too', () => {
    expect([OPERATIONS.getTokenBalance, OPERATIONS.getToken, OPERATIONS.getUsage].map(endpointOf)).toEqual([
      'balance-single',
      'token-single',
      'usage',
    ]);
    expect(
      ['tokens', 'tokens-single', 'token', 'balance-single', 'no-longer-there'].map(shownEndpoint),
    ).toEqual(['token', 'token-single', 'token', 'balance-single', 'no-longer-there']);
  });

  it('that write need more than the scope read', () => {
    const writing = ALL_OPERATIONS.filter(({ writes }) => writes);
    expect(writing.map(({ operationId, scope }) => [operationId, scope])).toEqual([
      ['submitOrder', 'webhook'],
    ]);
  });
});

it('only a snapshot’s body may take longer than others', () => {
  expect(isStreamed('POST', '/v1/eth-mainnet/balance/snapshot?token_address=native')).toBe(true);
  for (const [method, url] of [
    ['GET', '/v1/eth-mainnet/balance/snapshot'],
    ['POST', '/v1/eth-mainnet/balance/batch'],
    ['POST', '/v1/eth-mainnet/orders/dex-webhook?/balance/snapshot'],
  ] as const)
    expect(isStreamed(method, url)).toBe(false);
});
