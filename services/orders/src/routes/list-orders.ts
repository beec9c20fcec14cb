import { OPERATIONS } from '@hindsight/api/operations.ts';
import { unitsOf } from '@hindsight/api/units.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { addressParam, cursorParam, networkParam, pageLimitParam } from '@hindsight/chain/params.ts';
import { PARAMETER_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendUncached } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import { markOf } from '@hindsight/kernel/mark.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { z } from 'zod';
import { ORDER_TYPES } from '../domain/order.ts';
import { MAX_CURSOR, readCursor, writeCursor } from '../domain/order-list.ts';
import { ORDER_STATUSES } from '../domain/order-state.ts';
import type { OrderStore } from '../ports.ts';
import type { OrderChain } from './chains.ts';
import { orderRecord, toRecord } from './order-record.ts';
import { projectOf } from './project-of.ts';

/** Readers of orders: all projects, or each project of its own. */
export type Readable = 'any' | 'own';

export interface ReadOrdersDeps {
  readonly chains: ReadonlyMap<string, OrderChain>;
  readonly orders: Pick<OrderStore, 'find' | 'list'>;
  readonly readable: Readable;
}

const DEFAULT_LIMIT = 100;
const { perUnit: ROWS_PER_UNIT, most: MAX_LIMIT } = OPERATIONS.listOrders.units;

const querystring = z.strictObject({
  status: z.enum(ORDER_STATUSES).optional().meta({ description: 'How the orders stand' }),
  swapper: addressParam.optional().meta({ description: 'Who signed the orders' }),
  filler: addressParam.optional().meta({ description: 'Who filled the orders' }),
  type: z.enum(ORDER_TYPES).optional().meta({ description: 'The type of the orders' }),
  own: z.enum(['true']).optional().meta({
    description: '`true`: only orders that the keys of your own project have sent',
  }),
  limit: pageLimitParam(MAX_LIMIT)
    .optional()
    .meta({ description: `The most orders of a page; ${DEFAULT_LIMIT} if not given` }),
  cursor: cursorParam(readCursor, MAX_CURSOR).optional().meta({
    description: 'The `next` of the answer before: goes on there. Everything else but `limit` is as before',
  }),
});

const orderPage = z.object({
  network: z.string().meta({ description: 'The network, as in the path' }),
  chainId: z.int().meta({ description: 'The network’s chain id' }),
  units: z.int().meta({ description: 'What the request cost' }),
  next: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last one' }),
  orders: z.array(orderRecord).meta({ description: 'The orders, the last received first' }),
});

export const listOrders = {
  ...OPERATIONS.listOrders,
  tag: 'Orders',
  summary: 'List orders',
  description:
    'Lists the orders that were received here, the last received first, each as `orders/{orderHash}` has it. An order that ' +
    'comes while you read pages is on none of them, and moves no other. One that its contract wallet confirms meanwhile ' +
    'stands where it was received, so it may be on a page to come. Orders are kept for 30 days at least, and until ' +
    'their deadline, a year at most. The operator may limit each project to the orders that its own keys have sent.\n\n' +
    `Costs one unit for every ${ROWS_PER_UNIT} orders begun, at least one.`,
  params: z.object({ network: networkParam(NETWORKS) }),
  querystring,
  success: {
    status: 200,
    name: 'Orders',
    schema: orderPage,
    cacheable: false,
    description: 'A page of orders',
  },
  codes: [...PARAMETER_CODES, 'store_unavailable'],
  errors: {
    400: 'A parameter is malformed, unknown or given twice, or the cursor is of another question; the message names it and says what is expected',
    404: 'No such network',
    503: 'Orders cannot be read at the moment',
  },
} as const satisfies ApiOperation;

/** GET /v1/{network}/orders: orders by state, accounts and type, newest first. */
export function addListOrders(app: HttpServer, { chains, orders, readable }: ReadOrdersDeps): void {
  const params = z.object({ network: networkParam(chains) });
  app.get(listOrders.path, { schema: { params, querystring } }, async (request, reply) => {
    const { name, chainId } = request.params.network;
    const { limit = DEFAULT_LIMIT, cursor, own, ...asked } = request.query;
    const project = projectOf(request);
    const filter = {
      network: name,
      ...asked,
      projectId: own === 'true' || readable === 'own' ? project : undefined,
    };
    const { status, type, swapper, filler } = asked;
    const mark = markOf([name, status, type, swapper, filler, filter.projectId]);
    if (cursor !== undefined && cursor.mark !== mark)
      throw badRequest('cursor: expected the next of an earlier answer to the same question');
    const found = await fromStore(
      orders.list(filter, cursor, limit + 1),
      'Orders cannot be read at the moment.',
    );
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1)?.record : undefined;
    const units = unitsOf(rows.length, ROWS_PER_UNIT);
    setUnits(reply, units);
    const page: z.input<typeof orderPage> = {
      network: name,
      chainId,
      units,
      next: last === undefined ? null : writeCursor({ receivedAt: last.receivedAt, id: last.id, mark }),
      orders: rows.map(toRecord),
    };
    return sendUncached(request, reply, JSON.stringify(page));
  });
}
