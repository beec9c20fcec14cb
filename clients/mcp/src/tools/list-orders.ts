import type { components } from '@hindsight/client';
import { z } from 'zod';
import { orderFields, orderOf } from '../order.ts';
import { list, next } from '../outputs.ts';
import { urlOf } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

const ADDRESS = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address (0x…); names are not accepted');

/** Orders by state, accounts and type. */
export const listOrders = defineTool({
  name: 'list_orders',
  title: 'List orders',
  description:
    'Signed orders of decentralized exchanges (UniswapX) that this installation received, the last received first, each with ' +
    'how it stands, as get_order has it. They are kept for 30 days at least: an empty list does not mean that there never was ' +
    'an order. Orders that come in between move none of the pages.',
  input: {
    status: z
      .enum(['open', 'filled', 'cancelled', 'expired'])
      .optional()
      .describe('Only orders that stand so.'),
    swapper: ADDRESS.optional().describe('Only orders that this account signed.'),
    filler: ADDRESS.optional().describe('Only orders that this account filled.'),
    type: z
      .enum(['Dutch', 'Limit', 'Dutch_V2', 'Dutch_V3', 'Priority'])
      .optional()
      .describe('Only orders of this type.'),
    own: z.literal(true).optional().describe('Only orders that keys of the own project have sent.'),
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
