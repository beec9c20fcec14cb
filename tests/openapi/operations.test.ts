/** The table of operations, held against the services that describe them. */
import { ALL_OPERATIONS, type ServiceName } from '@hindsight/api/operations.ts';
import { BALANCE_API } from '@hindsight/balance/service.ts';
import { GATEWAY_API } from '@hindsight/gateway/service.ts';
import { HOLDERS_API } from '@hindsight/holders/service.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { ORDERS_API } from '@hindsight/orders/service.ts';
import { EXAMPLE_REQUESTS, FIXED_EXAMPLES } from '@hindsight/tools/openapi/example-requests.ts';
import { TOKENS_API } from '@hindsight/tokens/service.ts';
import { describe, expect, it } from '@jest/globals';

const APIS: Readonly<Record<ServiceName, readonly ApiOperation[]>> = {
  balance: BALANCE_API,
  tokens: TOKENS_API,
  holders: HOLDERS_API,
  orders: ORDERS_API,
  gateway: GATEWAY_API,
};
const DESCRIBED = Object.entries(APIS).flatMap(([service, operations]) =>
  operations.map((operation) => ({ service, operation, id: operation.operationId })),
);

describe('shared/api/src/operations.ts', () => {
  it.each(ALL_OPERATIONS)('has $operationId, which its service describes', (operation) => {
    const own = APIS[operation.service].filter(({ operationId }) => operationId === operation.operationId);
    expect(own).toEqual([expect.objectContaining(operation)]);
  });

  it.each(DESCRIBED)('has $id of the service $service', ({ service, operation, id }) => {
    const row = ALL_OPERATIONS.find(({ operationId }) => operationId === id);
    expect(row).toMatchObject({ service, method: operation.method, path: operation.path });
  });

  it.each(DESCRIBED.filter(({ operation }) => operation.bulk))(
    'has the largest body of $id as its 413 says',
    ({ operation: { bulk, errors } }) => {
      const kib = bulk!.maxBytes / 1024;
      const size = kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
      expect(errors?.[413]).toBe(`The body is larger than ${size}`);
    },
  );

  it('has the holders over time, for which no hash can be refused: none can be given', () => {
    const { codes } = HOLDERS_API.find(({ operationId }) => operationId === 'getHolderSeries')!;
    expect(codes).not.toContain('block_not_canonical');
  });

  it.each(ALL_OPERATIONS)('has $operationId, for which there is an example', ({ operationId }) => {
    expect(EXAMPLE_REQUESTS[operationId] ?? FIXED_EXAMPLES[operationId]).toBeDefined();
  });
});
