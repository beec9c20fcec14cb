import type { Order } from '@hindsight/client';
import { z } from 'zod';
import { orderFields, orderOf } from '../order.ts';
import { ask, defineTool } from '../tool.ts';

/** One order, and how it ended. */
export const getOrder = defineTool({
  name: 'get_order',
  title: 'Read an order',
  description:
    'A signed order of a decentralized exchange (UniswapX) by its hash: what it offers and asks for, and its state: open, filled (by ' +
    'whom, and what was paid), cancelled (with the cause) or expired. `amounts` null: what was paid is not known for sure; ' +
    'say so. `open` means that no fill, cancellation or expiry is confirmed yet. Orders that this installation never received ' +
    'are unknown here.',
  input: {
    order_hash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'expected an order’s hash: 0x and 64 hexadecimal digits')
      .describe('The hash of the order: 0x and 64 hexadecimal digits.'),
  },
  output: orderFields,
  async run(api, { order_hash }) {
    return orderOf(api, await ask<Order>(api, `/orders/${order_hash}`, {}));
  },
});
