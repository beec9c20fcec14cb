/** Orders in the tools' answers: without the bytes that were sent, which are long and have been decoded. */
import type { Order } from '@hindsight/client';
import { z } from 'zod';
import type { Api } from './tool.ts';

const AMOUNTS = z.looseObject({ token: z.string() });

export const orderStatus = z.enum(['open', 'filled', 'cancelled', 'expired']);

/** The fields of an order in an answer. */
export const orderFields = {
  order_hash: z.string(),
  network: z.string(),
  received_at: z.string(),
  type: z.string(),
  swapper: z.string(),
  deadline: z.string().describe('The last second at which it can be filled.'),
  input: AMOUNTS.describe(
    'What the swapper gives; fields depend on the type, amounts are in the smallest unit.',
  ),
  outputs: z.array(AMOUNTS).describe('What the swapper asks for. The zero address is the chain’s own coin.'),
  state: z
    .looseObject({ status: orderStatus })
    .describe(
      'With blocks and transactions; where `finalized` is false, a reorganisation can still take it back.',
    ),
  source_url: z.string(),
};

/** An order as a tool answers it. */
export function orderOf({ client, url }: Api, { order, orderHash, network, receivedAt, state }: Order) {
  const { deadline, ...decoded } = order;
  return {
    order_hash: orderHash,
    network,
    received_at: receivedAt,
    ...decoded,
    deadline: new Date(deadline * 1000).toISOString(),
    state,
    source_url: `${url}/v1/${client.network}/orders/${orderHash}`,
  };
}
