import type { components } from '@hindsight/client';
import { z } from 'zod';
import { orderFields, orderOf, orderStatus } from '../order.ts';
import { list, next } from '../outputs.ts';
import { ADDRESS } from '../parameters.ts';
import { urlOf } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

const account = z.string().regex(ADDRESS, 'expected an address (0x…); names are not accepted');

/** Orders by state, accounts and type. */
export const listOrders = defineTool({
  name: 'list_orders',
  title: 'List orders',
  description:
    'Signed orders of decentralized exchanges (UniswapX) that this installation received, newest first, each with its state, ' +
    'as get_order has it. They are kept for at least 30 days: an empty list does not mean that there never was an order. ' +
    'Orders that arrive between two pages do not shift them.',
  input: {
    status: orderStatus.optional().describe('Only orders in this state.'),
    swapper: account.optional().describe('Only orders that this account signed.'),
    filler: account.optional().describe('Only orders that this account filled.'),
    type: z
      .enum(['Dutch', 'Limit', 'Dutch_V2', 'Dutch_V3', 'Priority'])
      .optional()
      .describe('Only orders of this type.'),
    own: z.literal(true).optional().describe('Only orders that keys of this project have sent.'),
    limit: z.int().min(1).max(100).default(20).describe('Orders in an answer.'),
    cursor: z.string().max(200).optional().describe('Only from `next.arguments` of the answer before.'),
  },
  output: { orders: list(orderFields), source_url: z.string(), next },
  async run(api, { cursor, own, ...filters }) {
    const asked = { ...filters, own };
    const query = { ...filters, own: own && 'true', cursor };
    const page = await ask<components['schemas']['Orders']>(api, '/orders', query);
    return {
      orders: page.orders.map((order) => orderOf(api, order)),
      source_url: urlOf(api, '/orders', query),
      next: page.next === null ? null : { tool: 'list_orders', arguments: { ...asked, cursor: page.next } },
    };
  },
});
