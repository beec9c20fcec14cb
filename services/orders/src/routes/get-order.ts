import { OPERATIONS } from '@hindsight/api/operations.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { networkParam } from '@hindsight/chain/params.ts';
import { PARAMETER_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { z } from 'zod';
import type { ReadOrdersDeps } from './list-orders.ts';
import { orderRecord, toRecord } from './order-record.ts';
import { projectOf } from './project-of.ts';

const orderHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'expected an order’s hash: 0x and 64 hexadecimal digits')
  .transform((text) => text.toLowerCase())
  .meta({ description: 'The order’s hash: 0x and 64 hexadecimal digits' });
const querystring = z.strictObject({});

export const getOrder = {
  ...OPERATIONS.getOrder,
  tag: 'Orders',
  summary: 'Get order',
  description:
    'An order that was received here: as it was sent (`payload`), as it was decoded (`order`), and how it stands (`state`). ' +
    'An order is kept for 30 days at least, and until its deadline, a year at most. One that its swapper’s contract has not ' +
    'confirmed yet is not found. The operator may limit each project to the orders that its own keys have sent.',
  params: z.object({ network: networkParam(NETWORKS), orderHash }),
  querystring,
  success: {
    status: 200,
    name: 'Order',
    schema: orderRecord,
    cacheable: false,
    description: 'The order',
  },
  codes: [...PARAMETER_CODES, 'unknown_order', 'store_unavailable'],
  errors: {
    400: 'The hash is malformed, or there is a query parameter; the message names it',
    404: 'No such network, or no such order is known here',
    503: 'Orders cannot be read at the moment',
  },
} as const satisfies ApiOperation;

/** GET /v1/{network}/orders/{orderHash}: one order and its state. */
export function addGetOrder(app: HttpServer, { chains, orders, readable }: ReadOrdersDeps): void {
  const params = z.object({ network: networkParam(chains), orderHash });
  app.get(getOrder.path, { schema: { params, querystring } }, async (request, reply) => {
    const { network, orderHash: hash } = request.params;
    const project = projectOf(request);
    const found = await fromStore(
      orders.find(`${network.chainId}:${hash}`),
      'Orders cannot be read at the moment.',
    );
    // Orders of others are not even said to exist.
    if (found === null || (readable === 'own' && found.record.projectId !== project)) {
      throw notFound(
        'unknown_order',
        `orderHash: no order ${hash} of ${network.name} is known here; it never came, or it is no longer kept`,
      );
    }
    return sendUncached(request, reply, JSON.stringify(toRecord(found)));
  });
}
