/** A project's orders, as the orders service has them. */
import { textOf, type OtherService } from '@hindsight/http/other-service.ts';
import { badRequest, notFound, unavailable } from '@hindsight/kernel/errors.ts';
import { z } from 'zod';
import { ORDER_STATUSES, type OrderPage, type ShownOrder } from '../domain/shown-order.ts';
import type { ProjectOrders } from '../ports.ts';

/** A page does not wait longer. */
const WAIT_MS = 3_000;
const PAGE = 50;
const RETRY_AFTER_SECONDS = 5;

const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const decimal = z.string().regex(/^\d{1,78}$/);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const amount = z.object({
  token: address,
  recipient: address.optional(),
  amount: decimal.optional(),
  startAmount: decimal.optional(),
  endAmount: decimal.optional(),
  maxAmount: decimal.optional(),
  minAmount: decimal.optional(),
});

const fill = z.object({ filler: address, transaction: hash, block: z.int() });

const shownOrder = z.object({
  orderHash: hash,
  receivedAt: z.iso.datetime(),
  order: z.object({
    type: z.string(),
    reactor: address,
    swapper: address,
    nonce: decimal,
    deadline: z.int(),
    input: amount,
    outputs: z.array(amount),
    filler: address.nullable(),
    cosigner: address.nullable(),
  }),
  state: z.object({
    status: z.enum(ORDER_STATUSES),
    finalized: z.boolean().optional(),
    fill: fill.optional(),
    takenBack: fill.optional(),
    filler: address.optional(),
    transaction: hash.optional(),
    block: z.int().optional(),
    amounts: z
      .object({ input: amount, outputs: z.array(amount) })
      .nullable()
      .optional(),
    amountsReason: z.string().optional(),
    cause: z.enum(['invalidated', 'sibling', 'nonce-used-elsewhere']).optional(),
    sibling: hash.optional(),
  }),
}) satisfies z.ZodType<ShownOrder>;

const orderPage = z.object({
  orders: z.array(shownOrder),
  next: z.string().nullable(),
}) satisfies z.ZodType<OrderPage>;

const fault = z.object({ code: z.string(), message: z.string() });

/** @param service null where this portal does not know the orders service */
export function createProjectOrders(service: OtherService | null): ProjectOrders | null {
  if (service === null) return null;
  const ask = async <T>(project: string, path: string, schema: z.ZodType<T>): Promise<T> => {
    const { status, text } = await answerOf(service, project, path);
    if (status === 200) return schema.parse(JSON.parse(text));
    const { code, message } = fault.parse(JSON.parse(text));
    if (status === 400) throw badRequest(message);
    if (status === 404) throw notFound(code === 'unknown_order' ? code : 'unknown_network', message);
    throw unavailable('service_unavailable', message, RETRY_AFTER_SECONDS);
  };
  return {
    list({ network, project, status, cursor }) {
      const query = new URLSearchParams({ own: 'true', limit: String(PAGE) });
      if (status !== undefined) query.set('status', status);
      if (cursor !== undefined) query.set('cursor', cursor);
      return ask(project, `/v1/${network}/orders?${query.toString()}`, orderPage);
    },
    find: ({ network, project, orderHash }) =>
      ask(project, `/v1/${network}/orders/${encodeURIComponent(orderHash)}`, shownOrder),
  };
}

async function answerOf(service: OtherService, project: string, path: string) {
  try {
    const signal = AbortSignal.timeout(WAIT_MS);
    const { status, body } = await service.ask({ method: 'GET', path, project, signal });
    return { status, text: await textOf(body) };
  } catch (cause) {
    throw unavailable(
      'service_unavailable',
      'Orders cannot be read at the moment.',
      RETRY_AFTER_SECONDS,
      cause,
    );
  }
}
