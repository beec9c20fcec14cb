import { BALANCE_API } from '@hindsight/balance/service.ts';
import { GATEWAY_API } from '@hindsight/gateway/service.ts';
import { ORDERS_API } from '@hindsight/orders/service.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { HOLDERS_API } from '@hindsight/holders/service.ts';
import { TOKENS_API } from '@hindsight/tokens/service.ts';

/** The whole public API, as the services describe it; in the order of the document. */
export const OPERATIONS: readonly ApiOperation[] = [
  ...BALANCE_API,
  ...TOKENS_API,
  ...HOLDERS_API,
  ...ORDERS_API,
  ...GATEWAY_API,
];
